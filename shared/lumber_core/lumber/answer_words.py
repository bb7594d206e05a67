"""Words that the answer parser recognises, in the most frequent languages of answers.

They are English, German, French, Spanish, Chinese and Japanese. Each constant is part of a regular
expression. Answers in other languages are read only after "Answer:".
"""

LABEL = r"(?:\b(?:answers?|antwort|r[eé]ponse|respuesta)\b|答案|回答|答え)"
"""The label before an answer."""

NO_START = (
    r"(?:(?:none|null|nil|no|nowhere|nothing|keine?r?|nirgends|nichts|aucune?|nulle part|rien"
    r"|ning[uú]n[oa]?|nada)\b|[无無]|[没沒]有|なし|ない)"
)
"""The answer that the content does not change."""

DENIAL = (
    r"(?:\b(?:no|not|none|neither|nor|never|nothing|nowhere|cannot|except|without|hardly|barely"
    r"|too (?:early|late|soon|small|weak)|lacks?|lacking|fails?|unlikely|absent|absence"
    r"|nicht|keine?[mnrs]?|nie|niemals|nirgends|nichts|ohne|kaum|weder"
    r"|non|ne|pas|aucune?|jamais|rien|sans"
    r"|ni|ning[uú]n[oa]?|nunca|jam[aá]s|nada|sin|tampoco)\b|n['\u2019]t\b|\bn['\u2019](?=\w)"
    r"|[不没沒无無未]|并非|な[いくかし]|ません)"
)
"""Words of a sentence that denies something."""

CHANGE = (
    r"(?:\b(?:shift|turn|chang|start|begin|began|new|switch|mov|break|differ|transition|divid"
    r"|boundar|wechsel|wende|änder|beginn|neu|ander|anfang|commenc|début|nouv|tourn|bascul"
    r"|cambi|comienz|empie|inici|nuev|gir)|[转轉變变换換新始移変])"
)
"""Parts of words in a sentence that states a change of content."""

AND = r"(?:\b(?:and|und|et|y)\b|[和及と])"
"""Words before the last of several items."""

OR_TO = (
    r"(?:(?:\b(?:or|oder|ou|o|to|through|bis|[aà]|hasta)\b|[或到至]|または|から|[-\u2013\u2014~?]))"
)
"""Words between two items that are alternatives or the ends of a range."""

EXCLUSION = (
    r"(?:\b(?:(?:not|nicht|non|pas|no)\s|rather than|instead of|statt|plut[oô]t que)|而不是)"
)
"""Words before an item that is excluded."""

REASON = r"(?:because|since|where|weil|denn|car\b|porque)"
"""Words before the reason for an item."""

UNIT = (
    r"(?:(?<![^\W\d_぀-鿿])(?:id|paragra(?:ph|phe|f)|p[aá]rrafo|absatz|abschnitt|passage|section"
    r"|number)|第|段落)"
)
"""Words before the number of a unit in prose."""

REFUSAL = (
    r"(?:\b(?:i(?:['\u2019]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['\u2019])t"
    r"|will not|won['\u2019]t)|cannot (?:assist|help|comply)"
    r"|against (?:my|the) (?:policy|guidelines)"
    r"|es tut mir leid|d[ée]sol[ée]e?|je ne peux pas|lo siento|no puedo)\b"
    r"|抱歉|对不起|對不起|申し訳)"
)
"""Phrases that models use to decline."""
