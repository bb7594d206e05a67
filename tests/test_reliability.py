# ruff: noqa: E501
"""Every fault in docs/reliability.md is shown by a test that exists."""

import ast
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "reliability.md"
FAULTS = {
    "wrong key, unknown model, bad request": "core/llms/test_error_kinds.py::test_wrong_settings_raise_and_are_not_retried",
    "rate limit (429)": "core/lumber/test_patience.py::test_a_rate_limit_holds_back_all_calls",
    "server error, dropped connection, malformed reply": "core/lumber/test_over_http.py::test_many_calls_lose_no_answer_and_ask_none_twice",
    "no complete reply within `timeout` or `CallPolicy.call_timeout`": "core/llms/test_stalled_servers.py::test_a_reply_that_arrives_slowly_ends_at_the_timeout",
    "server down or wrong URL, before the first answer": "core/lumber/test_patience.py::test_a_server_that_is_down_ends_the_run",
    "server down later: `CallPolicy.give_up_after` (3) questions in a row without an answer": "core/lumber/test_patience.py::test_a_walk_continues_without_the_model",
    "an answer that names no paragraph of the prompt": "core/lumber/test_judges.py::test_an_unusable_answer_is_asked_about_again_more_strictly",
    "none of the first `CallPolicy.give_up_after` (3) answers about a document can be used": "core/lumber/test_patience.py::test_unusable_answers_do_not_count_as_answers",
    "refusal, content filter": "core/llms/test_error_kinds.py::test_a_refusal_becomes_a_verdict_after_one_request",
    "a transient error that a LangChain or LlamaIndex client does not retry": "contracts/test_framework_models.py::test_errors_that_a_client_does_not_retry_are_retried_by_the_library",
    "a server that redirects": "core/llms/test_model_settings.py::test_redirects_are_not_followed_and_the_error_names_both_servers",
    "a key in the URL of a server": "core/support/test_secrets.py::test_a_part_of_a_url_path_that_looks_like_a_key_is_hidden",
    "process killed": "core/lumber/test_interruption.py::test_a_killed_process_repeats_only_questions_in_flight_and_does_not_affect_another",
    "during a run: disk full, file locked by another program, server down": "core/lumber/test_store.py::test_a_store_that_fails_stops_the_run_and_keeps_its_answers",
    "a file that is read-only, damaged, from a newer version or from another program": "core/storage/test_cache.py::test_a_file_that_is_not_a_cache_is_refused_and_unchanged",
    "the embedding model fails, or the program is killed before the document is stored": "retrieval/index/test_embedded_texts.py::test_vectors_are_kept_after_a_kill_before_their_documents_are_stored",
    "an older format": "retrieval/index/test_index_faults.py::test_an_older_format_is_named_and_built_again_by_a_sync",
    "damaged index": "retrieval/index/test_index_faults.py::test_a_damaged_index_is_named_with_the_way_out",
    "reading or writing the disk fails, a write is lost or incomplete, or the process ends meanwhile": "faults/test_faults.py::test_confirmed_changes_are_there_after_any_fault",
    "a file that is not an index, or another program's database": "retrieval/index/test_index_faults.py::test_a_database_of_another_program_keeps_its_write_ahead_log",
    "another embedding model": "retrieval/index/test_index_faults.py::test_the_model_is_checked_against_the_current_file",
    "another process writes": "retrieval/index/test_index_faults.py::test_readers_continue_while_a_large_transaction_is_written",
    "disk full in the middle of `sync`": "retrieval/index/test_index_faults.py::test_documents_synced_before_the_disk_was_full_are_kept_and_the_rest_can_follow",
    "read-only folder": "retrieval/index/test_index_faults.py::test_an_index_that_is_read_only_is_searched",
    "the server is killed during a write or a query": "retrieval/index/test_postgres.py::test_a_call_succeeds_again_after_a_crash_of_the_server",
    "the server has closed connections, or was restarted": "retrieval/index/test_postgres.py::test_a_connection_that_the_server_has_ended_is_made_again",
    "the server does not answer, or another writer never finishes": "retrieval/index/test_postgres.py::test_a_stopped_server_is_waited_for_up_to_the_deadline",
    "two versions of the library, with different formats": "retrieval/index/test_postgres.py::test_two_versions_of_the_library_do_not_mix_their_formats",
    "SQL in names, texts and metadata": "retrieval/index/test_postgres.py::test_names_texts_and_metadata_are_never_read_as_sql",
    "Ctrl-C": "core/lumber/test_interruption.py::test_ctrl_c_ends_waiting_and_keeps_the_answers",
    "task cancelled, at any `await`": "core/lumber/test_interruption.py::test_a_cancellation_at_any_await_keeps_all_answers",
    "fork after use (gunicorn, Celery, `num_workers`)": "core/bert/test_bert_chunker.py::test_a_forked_process_splits_and_embeds_as_its_parent",
    "a program packed by PyInstaller (`--collect-submodules lumber_files`), or Python embedded in uWSGI": "files/test_isolation.py::test_a_program_is_not_started_again_to_read_a_file",
    "damaged model file": "training/test_export.py::test_a_damaged_file_is_refused",
    "pickled checkpoint": "training/test_export.py::test_a_pickled_checkpoint_is_never_read",
    "an ONNX model that refers to files outside its folder": "training/test_export.py::test_an_onnx_model_reads_no_file_outside_its_folder",
    "a text, document or PDF of more than `max_unpacked` (50 MB) once it is unpacked": "files/test_reading.py::test_a_file_that_unpacks_to_more_than_allowed_is_refused",
    "a PDF that needs minutes or gigabytes, or crashes the reader": "files/test_isolation.py::test_an_error_states_how_a_reader_failed_and_the_next_file_is_read",
    "HTML or scripts in names, titles, questions and texts, on pages of `view` and `compare`": "cli/test_pages.py::test_hostile_texts_do_nothing_in_a_browser_and_nothing_is_requested",
    "an output that is also an input, under any name": "cli/test_split_command.py::test_an_output_that_is_an_input_is_refused",
    "control sequences in a text": "cli/test_ask_command.py::test_control_characters_of_a_text_do_not_reach_a_terminal",
    "no document can be read": "cli/test_split_command.py::test_a_run_without_documents_does_not_replace_the_output",
}
STATEMENTS = {
    "**Calls in flight** do not change the result": "core/lumber/test_concurrency.py::test_concurrent_calls_give_the_result_of_sequential_ones",
    "Every text is split without loss": "contracts/test_growth.py::test_work_grows_linearly",
}


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_every_fault_and_statement_on_the_page_has_a_test() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if "| " in line]
    assert [row for row in rows if row not in ("Fault", "---")] == [*FAULTS]
    assert [statement for statement in STATEMENTS if statement not in page] == []


def test_tests_named_on_the_page_exist() -> None:
    names = [name.split("::") for name in (FAULTS | STATEMENTS).values()]
    assert len(names) > 20
    assert [f"{f}::{test}" for f, test in names if test not in functions_of(TESTS / f)] == []
