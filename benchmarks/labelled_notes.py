"""Numbered notes as people write them: each is a segment that opens with its label.

The notes were written for this test. They are labelled in several ways. Half of the documents are
the notes of one essay, which share a subject and an author; the others mix both essays.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from lumber_core.text.units import sentences_and_lines
from lumber_evaluation.documents import Document

LABELS = ("[{n}] ", "{n}. ", "({n}) ", "{n}) ", "[{n}] **", "\u2022 ", "{letter}. ", "^{n} ")

HARBOUR = (
    "The ledger of 1871 lists eleven pilots, but two of them were brothers who signed with the "
    "same mark. I count them as one, as the harbour master did when he paid them.",
    "Software for predicting tides is older than computers. Kelvin's machine of 1872 added ten "
    "waves with pulleys and a wire, and a later one in Liverpool added forty-two. The last was "
    "switched off in the 1960s.",
    "My grandmother said the fog horn was tuned to B flat. A neighbour with perfect pitch "
    "disagreed.",
    "Salted cod was sold by the quintal, which meant a hundred pounds in one port and a hundred"
    " and twelve in the next. Merchants who forgot this went broke politely.",
    "Strictly, a wharf runs along the shore and a pier runs out from it. Nobody in town used "
    "the words that way. I follow the town.",
    "See the parish register for March. The page is torn, and the name could be Hale or Hall. "
    "Both families deny him.",
    "The price of rope fell by half in three years. Manila hemp had arrived, and so had the "
    "steamers, which needed less of it. The ropewalk was burnt for the insurance in 1889, "
    "although the court found otherwise.",
    "I am told that herring gulls can recognise a face for years. This would explain a good deal.",
    "A chart is not a map. It tells you where you must not go, and leaves you to think about "
    "the rest by yourself.",
    "Letters from the keeper to his sister are in the county archive, box 14. They are mostly "
    "about butter. One describes the wreck of the Amity in four lines, between the weather and "
    "a recipe.",
    "The bell was cast in Bristol. It cracked on its first cold night, was recast, and cracked "
    "again; the third one is steel.",
    "Insurance rates for wooden hulls were published weekly. From these one can reconstruct "
    "which captains drank.",
    "Modern dredging began here in 1932 with a second-hand machine from Rotterdam. It worked "
    "for nine weeks. The tenth it spent on the sandbar that it had come to remove.",
    "The school took children until they were twelve, or until the mackerel came, whichever was"
    " first.",
    "He spelled the word three ways in one letter. I have kept the first.",
    "Whale oil lamps smoke less than is thought. What blackened the ceiling was the stove, as "
    "any visitor who lights both will find.",
    "Divers went down to her in 1974 and again in 1981. They found the anchor, the galley stove"
    " and a crate of plates without a chip. The plates are in the hotel now. Ask to see them.",
    "There were two banks. The smaller one failed on a Thursday, and the larger one the day "
    "after, when everybody had thought about the smaller one.",
)
WORKSHOP = (
    "Compilers were then sold by the seat. We had four seats and nine programmers, so whoever "
    "came first in the morning could compile.",
    "The oak table is the only piece from that year that I still have. Its legs are wrong: I "
    "had not understood seasonal movement, and it rocks in winter.",
    "A user once wrote to thank us for a bug. It had stopped her from sending a letter of "
    "resignation. We fixed it anyway.",
    "Venture capital was hardly known in our town. My uncle called it a loan without manners. "
    "He was not far off, but he lent us the money for the second machine.",
    "Hand planes should be sharpened before they are dull. So should people, if you ask me.",
    "We measured this. Of 312 support calls in May, 200 were about printing, and of these more "
    "than half were about paper.",
    "Lisp is often blamed for what its users do. I was one of them.",
    "The rent was 340 a month, heating not included. It was never included. In January we wore "
    "gloves with the fingers cut off, and typed badly.",
    "Paint was the hard part. Three coats of linseed oil take three weeks to dry, which no "
    "customer believes until the second week.",
    "Some readers of drafts thought that this chapter was about my father. It is about his lathe.",
    "Encryption was a munition under the export rules of the time. We printed the source code "
    "as a book and mailed it abroad, where someone typed it in again.",
    "The cat came with the building. She is not in the accounts, except under repairs.",
    "In theory a dovetail needs no glue. In practice I have never met anybody who left it out, "
    "and the books that say so were glued too.",
    "Our first server stood in the bathroom, since that was where the second circuit was. It "
    "had an uptime of 214 days. Then a guest dried her hair.",
    "Prices ended in 9 until the accountant resigned. Her successor rounded them, and sales did"
    " not change at all.",
    "I have since learnt that the patent had lapsed in 1978. Nobody had told the lawyers.",
    "Walnut dust makes some people sneeze for days. If you are one of them, buy a mask or buy "
    "maple.",
    "Mailing lists were our marketing department. Somebody asked a question, one of us "
    "answered, and a week later three orders came from that university. We never found out how "
    "to pay for it.",
)


def labelled_notes(*, seed: int = 0) -> list[Document]:
    """Return documents of labelled notes: for each label, one essay's and a mixture of both.

    Args:
        seed: Decides which notes are taken and in which order.
    """
    rng = random.Random(seed)
    documents = []
    for number, label in enumerate(LABELS):
        essay = (HARBOUR, WORKSHOP)[number % 2]
        mixed = rng.sample(HARBOUR + WORKSHOP, 20)
        documents += [
            _document(notes, label, f"{label} {n}") for n, notes in enumerate((essay, mixed))
        ]
    return documents


def _document(notes: Sequence[str], label: str, name: str) -> Document:
    text, starts = "", []
    for number, note in enumerate(notes, start=1):
        if label.endswith("**"):
            first, rest = note.split(" ", 1)
            note = f"{first}** {rest}"
        starts.append(len(text))
        text += label.format(n=number, letter=chr(ord("a") + number - 1)) + note + "\n\n"
    text = text.rstrip()
    units = {span.start for span in sentences_and_lines(text)}
    return Document(name, text, tuple(sorted(units.union(starts))), tuple(starts), "notes")
