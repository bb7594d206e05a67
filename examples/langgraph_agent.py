"""A LangGraph agent that searches, quotes and answers; every quote is traced to its characters.

Install: pip install '.[langchain]' langgraph
Run:     python examples/langgraph_agent.py [PATH ...] [-q QUESTION] [--llm NAME]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict

from langchain_core.documents import Document
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from common import Options, Passage, ask, indented, options, show
from langchain_lumber import LumberEmbeddings, PassageRetriever, cite, format_passages
from lumber_core import Model
from lumber_core.text import sentences
from lumber_retrieval import Citation

MOST_TURNS = 4  # replies of the model before the agent stops
CLOSE = 0.45  # similarity from which the bundled model takes a sentence for an answer

INSTRUCTIONS = """\
You answer a question from passages that a search has found. Reply in one of three ways.

If the passages do not contain the answer, and other words may find it, one line:
SEARCH: the words to search for

If they contain it, your answer in one to three sentences, and below it each sentence of the
passages that it rests on, copied word for word, nothing left out:
ANSWER: your answer
QUOTE: a sentence from a passage
QUOTE: another one

If you have searched in vain, one line:
UNKNOWN"""


@dataclass(frozen=True)
class Reply:
    """What a model does next: search, answer with quotes, or, if all is empty, give up."""

    query: str = ""
    answer: str = ""
    quotes: tuple[str, ...] = ()


class State(TypedDict):
    """What the agent knows.

    Attributes:
        question: The question.
        queries: What was searched for; the last one is next.
        passages: What was found.
        reply: The model's last reply.
        citations: The quotes of the reply that stand in the files, and where.
        complaint: What was wrong with the last reply; "" if nothing.
        turns: How many replies there were.
    """

    question: str
    queries: list[str]
    passages: list[Document]
    reply: Reply
    citations: list[Citation]
    complaint: str
    turns: int


Answerer = Callable[[State], Reply]


def main(given: Options) -> None:
    retriever = PassageRetriever(budget=300)
    retriever.add_documents(
        Document(text, metadata={"source": name}) for name, text in given.files.items()
    )
    answerer = quoted_by(given.llm) if given.llm else quoted_by_similarity()
    found = agent(retriever, answerer).invoke(
        State(
            question=given.question,
            queries=[given.question],
            passages=[],
            reply=Reply(),
            citations=[],
            complaint="",
            turns=0,
        )
    )

    answer = found["reply"].answer or "The files do not seem to say. The nearest passages:"
    print(f"\nAnswer\n{indented(answer)}")
    passages = [*map(Passage.of_document, found["passages"])]
    quotes = [quoted_passage(citation, passages) for citation in found["citations"]]
    show(quotes or passages[:3], replace(given, llm=None))


def agent(retriever: PassageRetriever, answerer: Answerer) -> CompiledStateGraph[State]:
    """Return the graph: search, reply, check the quotes, and go back if something is missing."""

    def search(state: State) -> dict[str, object]:
        query = state["queries"][-1]
        known = {passage.id for passage in state["passages"]}
        new = [passage for passage in retriever.invoke(query) if passage.id not in known]
        print(f"search  {query!r}: {len(new)} new passages")
        return {"passages": state["passages"] + new}

    def reply(state: State) -> dict[str, object]:
        made = answerer(state)
        queries = state["queries"] + ([made.query] if made.query else [])
        return {"reply": made, "queries": queries, "turns": state["turns"] + 1}

    def check(state: State) -> dict[str, object]:
        """Find the place of each quote in the files."""
        cited = cite(state["reply"].quotes, state["passages"])
        found = [citation for citation in cited if citation.kind != "not found"]
        wrong = [citation.quote for citation in cited if citation.kind == "not found"]
        complaint = f"No passage contains these quotes word for word: {wrong}" if wrong else ""
        if not cited:
            complaint = "There is no line that starts with QUOTE:"
        print(f"check   {len(found)} of {len(cited)} quotes found in the files")
        return {"citations": found, "complaint": complaint}

    def after_reply(state: State) -> str:
        if state["reply"].query and state["turns"] < MOST_TURNS:
            return "search"
        return "check" if state["reply"].answer else END

    def after_check(state: State) -> str:
        return "reply" if state["complaint"] and state["turns"] < MOST_TURNS else END

    graph = StateGraph(State)
    graph.add_node("search", search)
    graph.add_node("reply", reply)
    graph.add_node("check", check)
    graph.add_edge(START, "search")
    graph.add_edge("search", "reply")
    graph.add_conditional_edges("reply", after_reply, ["search", "check", END])
    graph.add_conditional_edges("check", after_check, ["reply", END])
    return graph.compile()


def quoted_by(llm: Model) -> Answerer:
    """Return what asks a language model for the next reply."""

    def answer(state: State) -> Reply:
        asked = f"Passages:\n\n{format_passages(state['passages'])}\n\n"
        asked += f"Searched for so far: {state['queries']}\n\nQuestion: {state['question']}"
        if state["complaint"]:
            asked += f"\n\nYour last reply could not be used. {state['complaint']}"
        return read(ask(llm, INSTRUCTIONS, asked))

    return answer


def read(text: str) -> Reply:
    """Read a language model's reply; anything that follows no form is an answer without quotes."""
    lines = re.findall(r"^\W*(SEARCH|ANSWER|QUOTE)\W*:\s*(.+)$", text, re.MULTILINE)
    said = {kind: [rest for name, rest in lines if name == kind] for kind, _ in lines}
    if not lines and "UNKNOWN" in text:
        return Reply()
    if "SEARCH" in said and "ANSWER" not in said:
        return Reply(query=said["SEARCH"][0])
    return Reply(answer=" ".join(said.get("ANSWER", [text])), quotes=tuple(said.get("QUOTE", ())))


def quoted_by_similarity() -> Answerer:
    """Return what answers with sentences near the question, and searches again if none is near."""
    embeddings = LumberEmbeddings()

    def choose(state: State) -> Reply:
        found = [
            span.of(text).strip()
            for text in (passage.metadata["text"] for passage in state["passages"])
            for span in sentences(text)
        ]
        question, *vectors = embeddings.embed_documents([state["question"], *found])
        scores = [sum(map(float.__mul__, question, vector)) for vector in vectors]
        best = sorted(zip(scores, found, strict=True), reverse=True)[:2]
        quotes = tuple(sentence for score, sentence in best if score >= CLOSE)
        again = not quotes and len(state["queries"]) == 1
        return Reply(best[0][1] if again else "", " ".join(quotes), quotes)

    return choose


def quoted_passage(citation: Citation, passages: list[Passage]) -> Passage:
    """Return a quote that was found, and how, as a passage below the headings of its passage."""
    assert citation.span is not None
    start, end = citation.span
    passage = next(p for p in passages if p.file == citation.document and p.start <= start < p.end)
    return replace(passage, start=start, end=end, text=citation.text, detail=citation.kind)


if __name__ == "__main__":
    main(options(__doc__, "By how much does the free end of the ribbon move?"))
