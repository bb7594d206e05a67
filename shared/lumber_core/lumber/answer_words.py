"""Words that the answer parser recognises, in the most frequent languages of answers.

All are known in English, German, French, Spanish, Chinese and Japanese. Labels, denials and
refusals are known in Italian, Portuguese, Dutch, Polish, Russian, Swedish, Turkish, Korean, Arabic
and Hindi as well. Each constant is part of a regular expression.
"""

LABEL = (
    r"(?:\b(?:answers?|antwort|r[eé]ponse|respuesta|risposta|resposta|antwoord|odpowied[zź]|ответ"
    r"|svar|vastaus|cevap|v[aá]lasz|odpověď|odpoveď|răspuns|відповідь|απάντηση|jawaban"
    r"|trả lời|đáp án|الجواب|الإجابة|پاسخ|جواب|תשובה)\b|उत्तर|ค\u0e4d\u0e32ตอบ|答案|回答|答え|답변?)"
)
"""The label before an answer."""

NO_START = (
    r"(?:(?:n/a|none|null|nil|no|nowhere|nothing|keine?r?|nirgends|nichts|aucune?|nulle part|rien"
    r"|ning[uú]n[oa]?|nada|nessun[oa]?|nenhuma?|geen|brak|żad\w+|нет|ing[ae]n|inget|yok|لا)\b"
    r"|नहीं|[无無]|[没沒]有|なし|ない|없음)"
)
"""The answer that the content does not change."""

DENIAL = (
    r"(?:\b(?:no|not|none|neither|nor|never|nothing|nowhere|cannot|except|without|hardly|barely"
    r"|too (?:early|late|soon|small|weak)|lacks?|lacking|fails?|unlikely|absent|absence|zero|wrong"
    r"|false|nicht|keine?[mnrs]?|nie|niemals|nirgends|nichts|ohne|kaum|weder"
    r"|non|ne|pas|aucune?|jamais|rien|sans"
    r"|ni|ning[uú]n[oa]?|nunca|jam[aá]s|nada|sin|tampoco"
    r"|nessun[oa]?|nulla|niente|senza|não|nem|nenhuma?|sem|niet|geen|nooit|zonder"
    r"|brak|bez|żad\w+|не|нет|ни|без|inte|ing[ae]n|inget|utan|yok|değil|hiçbir"
    r"|لا|ليس|ليست|لم|لن|بدون)\b|n['\u2019]t\b|\bn['\u2019](?=\w)"
    r"|नहीं|[不没沒无無未]|并非|な[いくかし]|ません|없|않|아니|아닙)"
)
"""Words of a sentence that denies something."""

SAMENESS = (
    r"(?:\b(?:same|still|unchanged|little|minor|slight|cosmetic|superficial|continu\w+|remain\w*"
    r"|goes on to|up to|if|might|could|may|perhaps|possibly|doubt|later than|weiterhin|gleich\w*"
    r"|könnten?|vielleicht|même|pourrai\w+|peut-être|mismo|misma|podrían?|quizás?|tal vez|stesso"
    r"|mesmo|ainda|hetzelfde|nadal)\b|可能|也许|仍|かもしれ)"
)
"""Words of a sentence in prose that doubts a change, or states what does not change."""

CHANGE = (
    r"(?:\b(?:shift|turn|chang|start|begin|began|new|switch|mov|break|differ|transition|divid"
    r"|boundar|wechsel|wende|änder|beginn|neu|ander|anfang|commenc|début|nouv|tourn|bascul"
    r"|cambi|comienz|empie|inici|nuev|gir)|[转轉變变换換新始移変])"
)
"""Parts of words in a sentence that states a change of content."""

AND = r"(?:\b(?:and|also|as well as|then|und|et|y|e|en|oraz|и)\b|[和及と&])"
"""Words before the last of several items."""

OR_TO = (
    r"(?:\b(?:or|oder|ou|o|to|through|bis|[aà]|hasta)\b|[或到至]|または|から|[-\u2013\u2014~?/])"
)
"""Words between two items that are alternatives or the ends of a range."""

EXCLUSION = (
    r"(?:\b(?:(?:not|nicht|non|pas|no)\s|rather than|instead of|statt|plut[oô]t que)|而不是)"
)
"""Words before an item that is excluded."""

CORRECTION = (
    r"(?:\b(?:wait|actually|correction|scratch that|on second thoughts?|hm+|i meant?|moment|halt"
    r"|eigentlich|korrektur|vielmehr|attendez|en fait|plut[oô]t|en realidad|mejor dicho|quise decir"
    r"|perdón|точнее|вернее|بل)\b|不对|不對|更正|应该是|正しくは|訂正)"
)
"""Words before an answer that replaces the one above it."""

REASON = r"(?:because|since|where|weil|denn|car\b|porque)"
"""Words before the reason for an item."""

UNIT = (
    r"(?:(?<![^\W\d_぀-鿿])(?:id|paragra(?:ph|phe|f)|p[aá]rrafo|absatz|abschnitt|passage|section"
    r"|number)|第|段落)"
)
"""Words before the number of a unit in prose."""

REFUSAL = (
    r"(?:\b(?:sorry|i(?:['\u2019]m| am) (?:unable|not (?:able|allowed|comfortable))"
    r"|i (?:can(?:no|['\u2019])t|will not|won['\u2019]t|(?:must |have to )?(?:decline|refuse))"
    r"|cannot (?:assist|help|comply)|against (?:my|the) (?:policy|guidelines)|apolog(?:ies|i[sz]e)"
    r"|es tut mir leid|d[ée]sol[ée]e?|je ne peux pas|lo siento|no puedo|mi dispiace|non posso"
    r"|desculpe|não posso|het spijt|przykro mi|nie mogę|извините|простите|не могу|üzgünüm"
    r"|tyvärr|عذرًا|عذرا|آسف)\b|抱歉|对不起|對不起|申し訳|죄송|क्षमा|माफ़)"
)
"""Phrases that models use to decline."""
