"""Words by which answers are read, in the languages in which models answer most.

English, German, French, Spanish, Chinese and Japanese: each constant is part of a regular
expression. Answers in any other language are read after "Answer:" alone.
"""

LABEL = r"(?:\b(?:answers?|antwort|r[eé]ponse|respuesta)\b|答案|回答|答え)"
"""What stands before an answer."""

NO_START = (
    r"(?:(?:none|null|nil|no|nowhere|nothing|keine?r?|nirgends|nichts|aucune?|nulle part|rien"
    r"|ning[uú]n[oa]?|nada)\b|[无無]|[没沒]有|なし|ない)"
)
"""An answer that no content changes."""

DENIAL = (
    r"(?:\b(?:no|not|none|neither|nor|never|nothing|nowhere|cannot|except|without|hardly|barely"
    r"|too (?:early|late|soon|small|weak)|lacks?|lacking|fails?|unlikely|absent|absence"
    r"|nicht|keine?[mnrs]?|nie|niemals|nirgends|nichts|ohne|kaum|weder"
    r"|non|ne|pas|aucune?|jamais|rien|sans"
    r"|ni|ning[uú]n[oa]?|nunca|jam[aá]s|nada|sin|tampoco)\b|n['\u2019]t\b|\bn['\u2019](?=\w)"
    r"|[不没沒无無未]|并非|な[いくかし]|ません)"
)
"""What makes a sentence deny something."""

CHANGE = (
    r"(?:\b(?:shift|turn|chang|start|begin|began|new|switch|mov|break|differ|transition|divid"
    r"|boundar|wechsel|wende|änder|beginn|neu|ander|anfang|commenc|début|nouv|tourn|bascul"
    r"|cambi|comienz|empie|inici|nuev|gir)|[转轉變变换換新始移変])"
)
"""What makes a sentence state that content changes."""

AND = r"(?:\b(?:and|und|et|y)\b|[和及と])"
"""What stands before the last of several items."""

OR_TO = (
    r"(?:(?:\b(?:or|oder|ou|o|to|through|bis|[aà]|hasta)\b|[或到至]|または|から|[-\u2013\u2014~?]))"
)
"""What stands between two items of which it is not certain that both are meant."""

EXCLUSION = (
    r"(?:\b(?:(?:not|nicht|non|pas|no)\s|rather than|instead of|statt|plut[oô]t que)|而不是)"
)
"""What stands before an item that is not meant."""

REASON = r"(?:because|since|where|weil|denn|car\b|porque)"
"""What stands before why an item is meant."""

UNIT = (
    r"(?:(?<![^\W\d_぀-鿿])(?:id|paragra(?:ph|phe|f)|p[aá]rrafo|absatz|abschnitt|passage|section"
    r"|number)|第|段落)"
)
"""What stands before the number of a unit in prose."""

REFUSAL = (
    r"(?:\b(?:i(?:['\u2019]m| am) (?:sorry|unable|not able)|i (?:can(?:no|['\u2019])t"
    r"|will not|won['\u2019]t)|cannot (?:assist|help|comply)"
    r"|against (?:my|the) (?:policy|guidelines)"
    r"|es tut mir leid|d[ée]sol[ée]e?|je ne peux pas|lo siento|no puedo)\b"
    r"|抱歉|对不起|對不起|申し訳)"
)
"""What models write to decline."""
