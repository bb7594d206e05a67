"""A LangGraph agent that searches and answers; every quote is looked up in the files.

Install: pip install '.[langchain]' langgraph
Run:     python examples/langgraph_agent.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict

from langchain_core.documents import Document
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

import langchain_lumber as lumber
from common import Options, Passage, ask, indent_text, options, show
from lumber_core import Model
from lumber_core.text import sentences
from lumber_retrieval import Citation

MAX_TURNS = 4  # replies of the model before the agent stops
MIN_SIMILARITY = 0.45  # between question and answer, in the bundled embedding model
SEARCHING = """

If the passages do not hold the answer, and other words may find it, reply with one line:
SEARCH: the words to search for"""
_SEARCH = re.compile(r"^\W*SEARCH\W*:\s*(.+)$", re.MULTILINE)


class State(TypedDict):
    """The state of the agent.

    Attributes:
        question: The question.
        query: The next search; "" if there is none.
        passages: The passages found so far.
        reply: The model's last reply.
        answer: The answer in it; "" if there is none.
        citations: The quotes of the answer that are in the files, with their places.
        complaint: The fault of the last reply; "" if there is none.
        turns: The number of replies.
    """

    question: str
    query: str
    passages: list[Document]
    reply: str
    answer: str
    citations: list[Citation]
    complaint: str
    turns: int


Answerer = Callable[[State], str]


def main(args: Options) -> None:
    retriever = lumber.PassageRetriever(budget=300)
    retriever.add_documents(lumber.FilesLoader(args.paths).load())
    answerer = answer_by(args.llm) if args.llm else answer_by_similarity
    begin = State(
        question=args.question,
        query=args.question,
        passages=[],
        reply="",
        answer="",
        citations=[],
        complaint="",
        turns=0,
    )
    final = agent(retriever, answerer).invoke(begin)
    answer = final["answer"] or "The files do not seem to say. The nearest passages:"
    print(f"\nAnswer\n{indent_text(answer)}")
    passages = [*map(Passage.of, final["passages"])]
    quotes = [quoted_passage(citation, passages) for citation in final["citations"]]
    show(quotes or passages[:3], replace(args, llm=None))


def agent(retriever: lumber.PassageRetriever, answerer: Answerer) -> CompiledStateGraph[State]:
    """Return the graph: search, reply, check the quotes, and go back if a quote is missing."""

    def search(state: State) -> dict[str, object]:
        ids = {passage.id for passage in state["passages"]}
        new = [passage for passage in retriever.invoke(state["query"]) if passage.id not in ids]
        print(f"search  {state['query']!r}: {len(new)} new passages")
        return {"passages": state["passages"] + new}

    def reply(state: State) -> dict[str, object]:
        text = answerer(state)
        match = _SEARCH.search(text)
        return {"reply": text, "query": match[1] if match else "", "turns": state["turns"] + 1}

    def check(state: State) -> dict[str, object]:
        """Find the place of each quote in the files."""
        cited = lumber.cite_answer(state["reply"], state["passages"])
        quotes = [citation for citation in cited.citations if citation.kind != "not found"]
        complaint = "It quotes nothing." if cited.text and not cited.citations else ""
        if cited.missing:
            complaint = f"No passage has these quotes word for word: {cited.missing}"
        print(f"check   {len(quotes)} of {len(cited.citations)} quotes found in the files")
        return {"answer": cited.text, "citations": quotes, "complaint": complaint}

    def after_reply(state: State) -> str:
        if not state["query"]:
            return "check"
        return "search" if state["turns"] < MAX_TURNS else END

    def after_check(state: State) -> str:
        return "reply" if state["complaint"] and state["turns"] < MAX_TURNS else END

    graph = StateGraph(State)
    graph.add_node("search", search)
    graph.add_node("reply", reply)
    graph.add_node("check", check)
    graph.add_edge(START, "search")
    graph.add_edge("search", "reply")
    graph.add_conditional_edges("reply", after_reply, ["search", "check", END])
    graph.add_conditional_edges("check", after_check, ["reply", END])
    return graph.compile()


def answer_by(llm: Model) -> Answerer:
    """Return a function that asks a language model for the next reply."""

    def answer(state: State) -> str:
        context = lumber.format_passages(state["passages"])
        prompt = lumber.QUOTING_PROMPT.format_messages(context=context, question=state["question"])
        system, user = (str(message.content) for message in prompt)
        if state["complaint"]:
            user += f"\n\nYour last reply could not be used. {state['complaint']}"
        return ask(llm, system + SEARCHING, user)

    return answer


def answer_by_similarity(state: State) -> str:
    """Answer with sentences like the question, as quotes; if there are none, search again."""
    texts = [passage.metadata["text"] for passage in state["passages"]]
    candidates = [span.of(text).strip() for text in texts for span in sentences(text)]
    question, *vectors = lumber.LumberEmbeddings().embed_documents([state["question"], *candidates])
    scores = [sum(map(float.__mul__, question, vector)) for vector in vectors]
    best = sorted(zip(scores, candidates, strict=True), reverse=True)[:2]
    quotes = [sentence for score, sentence in best if score >= MIN_SIMILARITY]
    if not quotes:
        return "UNKNOWN" if state["turns"] else f"SEARCH: {best[0][1]}"
    answer = " ".join(f"{quote} [{number}]" for number, quote in enumerate(quotes, 1))
    return answer + "\n\n" + "\n".join(f'[{n}] "{quote}"' for n, quote in enumerate(quotes, 1))


def quoted_passage(citation: Citation, passages: list[Passage]) -> Passage:
    """Return a quote as a passage with the headings of its passage, and how it was found."""
    assert citation.span is not None
    start, end = citation.span
    passage = next(p for p in passages if p.file == citation.document and p.start <= start < p.end)
    return replace(passage, start=start, end=end, text=citation.text, detail=citation.kind)


if __name__ == "__main__":
    main(options(__doc__, "By how much does the free end of the ribbon move?"))
