"""Ask a folder: passages, and the quotes of an answer, are marked in their documents.

Opens a page on this machine, on which files can be dropped. Without a language model it finds
passages; with one it answers, and each quote of the answer is looked up.

Install: pip install '.[langchain,documents]' gradio
Run:     python examples/chat_with_a_folder.py [PATH ...] [--llm NAME]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
from langchain_core.documents import Document

import langchain_lumber as lumber
from common import argument_parser
from lumber_cli.language_models import language_model
from lumber_core import LumberError, Model
from lumber_core.llms import CallPolicy, RetryingModel
from lumber_files import READABLE
from lumber_retrieval import Citation

MAX_WORDS = 400  # words of all passages, for a reader or a model
CALLS = CallPolicy(attempts=2, max_backoff=5)  # few and short: somebody waits for the answer

CLICK = """element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) trigger("click", {number: Number(button.dataset.number)});
})"""
SCROLL = """() => {
  const mark = document.querySelector("#document mark");
  if (mark) mark.parentElement.scrollTop = mark.offsetTop - 80;
}"""
STYLE = """
#beside { position: sticky; top: 1rem; align-self: flex-start; }
#document div.text { position: relative; height: calc(100vh - 10rem); overflow: auto;
  padding: 1.2rem; line-height: 1.6; }
#results .said { margin-bottom: 1rem; white-space: pre-wrap; line-height: 1.5; }
#results .said button { color: var(--link-text-color); }
#results .said button:disabled { color: #dc2626; }
#results .card { display: block; width: 100%; margin-bottom: .6rem; padding: .6rem .8rem;
  border-left-width: 5px; text-align: left; line-height: 1.5; }
#results .card:enabled:hover, #results .card:focus { outline: 2px solid var(--color-accent); }
#results .card b, #results .card i { font-size: .85em; }
.text, .card { white-space: pre-wrap; overflow-wrap: anywhere;
  border: 1px solid var(--border-color-primary); border-radius: var(--block-radius);
  background: var(--block-background-fill); }
#results .exact { border-left-color: #16a34a; } mark.exact { background: #bbf7d0; }
#results .aligned { border-left-color: #ea580c; } mark.aligned { background: #fed7aa; }
#results .not { border-left-color: #dc2626; } mark { background: #fde68a; color: black; }
"""


class Place(NamedTuple):
    """A passage or a quote, and its place in a document; the document is "" if it is not found."""

    kind: str
    where: str
    text: str
    document: str
    start: int = 0
    end: int = 0


def main() -> None:
    args = argument_parser(__doc__).parse_args()
    try:
        documents = lumber.FilesLoader(args.paths).load()
        llm = language_model(args.llm) if args.llm else None
    except (LumberError, OSError, ValueError) as error:
        sys.exit(str(error))
    make_page(documents, llm).launch(
        server_name="127.0.0.1",  # everyone who reaches the page can read the documents
        share=False,
        run_history=False,  # Gradio would keep questions and answers in the browser
        footer_links=[],
        theme=gr.themes.Default(font=["system-ui", "sans-serif"]),
        css=STYLE,
    )


def make_page(loaded: list[Document], llm: Model | None) -> gr.Blocks:
    """Return the page. All who open it share the documents, including dropped files."""
    retriever = lumber.PassageRetriever(budget=MAX_WORDS)
    documents = {document.metadata["source"]: document for document in loaded}
    retriever.add_documents(documents.values())

    def drop(paths: list[str]) -> tuple[Any, ...]:
        """Add files, and report which of them cannot be read."""
        lines = []
        for path in map(Path, paths):
            try:
                [document] = lumber.FilesLoader(path).load()
                document.metadata["source"] = path.name
                retriever.add_documents([document])
                documents[path.name] = document
                lines.append(f"{path.name} is added.")
            except (LumberError, OSError, ValueError) as error:  # noqa: PERF203 - others are read
                lines.append(f"Not added: {error}".replace(path.as_posix(), path.name))
        return None, html_of("\n".join(lines)), gr.Dropdown([*documents])

    def search(question: str) -> tuple[Any, ...]:
        """Find passages, and show the first one."""
        if not question.strip():
            return [], [], html_of("Type a question, please."), gr.skip(), gr.skip()
        passages = retriever.invoke(question)
        if not passages:
            return [], [], html_of("No passages are found."), gr.skip(), gr.skip()
        places = [*map(place_of, passages)]
        message = "The language model is asked …" if llm else ""
        return passages, places, html_of(message, places), *show(places[0])

    def answer(question: str, passages: list[Document]) -> tuple[Any, ...]:
        """Answer from the passages, and show the first quote that is found."""
        if llm is None or not passages:
            return (gr.skip(),) * 4
        places = [*map(place_of, passages)]
        context = lumber.format_passages(passages)
        messages = lumber.QUOTING_PROMPT.format_messages(context=context, question=question)
        system, user = (str(message.content) for message in messages)
        try:
            reply = RetryingModel(llm, CALLS).complete(system, user).text
        except LumberError as error:
            message = f"The language model has not answered: {error}"
            return places, html_of(message, places), gr.skip(), gr.skip()
        cited_documents = {place.document: documents[place.document] for place in places}
        cited = lumber.cite_answer(reply, [*passages, *cited_documents.values()])
        places = [*map(place_of_quote, cited.citations), *places]
        message = cited.text or "The passages do not say, according to the language model."
        if cited.text and not cited.citations:
            message += "\n\nThe answer quotes nothing: compare it with the passages."
        first = next(place for place in places if place.document)
        return places, html_of(message, places), *show(first)

    def click(places: list[Place], event: gr.EventData) -> tuple[str, str]:
        return show(places[event.number])

    def show(place: Place) -> tuple[str, str]:
        return place.document, html_of_document(documents[place.document], place)

    first = next(iter(documents))
    # Dropped files are deleted with the app, or after an hour.
    with gr.Blocks(
        title="Ask a folder", fill_width=True, analytics_enabled=False, delete_cache=(600, 3600)
    ) as page:
        passages, places = gr.State([]), gr.State([])
        with gr.Row():
            with gr.Column(scale=4):
                question = gr.Textbox(label="Question", submit_btn="Ask", autofocus=True)
                dropped = gr.File(
                    label="Add files", file_count="multiple", file_types=[*READABLE], height=140
                )
                results = gr.HTML(elem_id="results", js_on_load=CLICK, apply_default_css=False)
            with gr.Column(scale=5, elem_id="beside"):
                name = gr.Dropdown([*documents], value=first, label="Document")
                text = html_of_document(documents[first])
                document_view = gr.HTML(text, elem_id="document", apply_default_css=False)
        page.load(lambda: gr.Dropdown([*documents]), None, name)
        name.input(lambda name: html_of_document(documents[name]), name, document_view)
        dropped.upload(drop, dropped, [dropped, results, name])
        results.click(click, places, [name, document_view]).then(None, js=SCROLL)
        submitted = question.submit(
            search, question, [passages, places, results, name, document_view]
        )
        answered = submitted.then(None, js=SCROLL).then(
            answer, [question, passages], [places, results, name, document_view]
        )
        answered.then(None, js=SCROLL)
    return page


def place_of(passage: Document) -> Place:
    facts = passage.metadata
    page = facts["page_first"]
    where = f"page {page}" if page else f"line {facts['line_first']}"
    headings = f", {facts['headings']}" if facts["headings"] else ""
    source, span = facts["source"], (facts["start_index"], facts["end_index"])
    return Place("passage", f"{source}, {where}{headings}", facts["text"], source, *span)


def place_of_quote(citation: Citation) -> Place:
    text = f"“{citation.quote}”"
    if citation.kind == "aligned":  # words that the model has changed may change the meaning
        text += f"\nThe document: “{citation.text}”"
    where = "" if citation.document is None else str(citation)
    return Place(citation.kind, where, text, citation.document or "", *(citation.span or ()))


# Texts of documents, models and users are escaped here. They must not get into a template of
# gr.HTML by {{...}}: Gradio would run what they have between "${" and "}".
def html_of(text: str, places: Sequence[Place] = ()) -> str:
    """Return a text, in which [1] is a button for the first quote, and a button for each place."""

    def button(number: int, html: str, classes: str = "") -> str:
        attribute = f'data-number="{number}"' if places[number].document else "disabled"
        return f'<button class="{classes}" {attribute}>{html}</button>'

    def reference(match: re.Match[str]) -> str:
        number = int(match[1]) - 1
        return button(number, match[0]) if 0 <= number < quotes else match[0]

    quotes = sum(place.kind != "passage" for place in places)
    text = re.sub(r"\[(\d{1,3})\]", reference, escape(text))
    html = f'<p class="said">{text}</p>'
    for number, place in enumerate(places):
        title = f"[{number + 1}] {place.kind}" if number < quotes else "passage"
        above = f"<b>{escape(title)}</b> <i>{escape(place.where)}</i>\n"
        html += button(number, above + escape(place.text.strip()), f"card {place.kind}")
    return html


def html_of_document(document: Document, place: Place | None = None) -> str:
    """Return the whole text, in which a place is marked."""
    text = document.page_content
    start, end, kind = (place.start, place.end, place.kind) if place else (0, 0, "")
    before, inside, after = map(escape, (text[:start], text[start:end], text[end:]))
    mark = f'<mark class="{kind}">{inside}</mark>' if inside else ""
    return f'<div class="text">{before}{mark}{after}</div>'


if __name__ == "__main__":
    main()
