"""Words that the answer parser recognises, in the most frequent languages of answers.

All are known in English, German, French, Spanish, Chinese and Japanese. Labels, denials and
refusals are known in Italian, Portuguese, Dutch, Polish, Russian, Swedish, Turkish, Korean, Arabic
and Hindi as well.
"""

from __future__ import annotations

# Each entry is a part of a regular expression: whole words, by language, or "signs" anywhere.
_LISTS: dict[str, dict[str, str]] = {
    # The label before an answer: the word "answer".
    "label": {
        "latin": (
            "answers?|antwort|r[eé]ponse|respuesta|risposta|resposta|antwoord|odpowied[zź]|svar(?:et)?|"
            r"vastaus|cevap|yan\w?t|v[aá]lasz|odpověď|odpoveď|răspuns|jawaban|trả lời|đáp án"
        ),
        "others": "ответ|відповідь|απάντηση|الجواب|الإجابة|پاسخ|جواب|תשובה",
        "signs": "उत्तर|คําตอบ|答案|回答|答え|답변?",
    },
    # The answer that the content does not change.
    "no_start": {
        "en": "n/a|none|null|nil|no|nowhere|nothing",
        "de": "keine?r?|nirgends|nichts",
        "fr": "aucune?|nulle part|rien",
        "es": "ning[uú]n[oa]?|nada",
        "it": "nessun[oa]?",
        "pt": "nenhuma?",
        "nl": "geen",
        "pl": r"brak|żad\w+",
        "ru": "нет",
        "sv": "ing[ae]n|inget",
        "tr": "yok",
        "ar": "لا",
        "signs": "नहीं|[无無]|[没沒]有|なし|ない|없음",
    },
    # Words of a sentence that denies something.
    "denial": {
        "en": (
            "no|not|none|neither|nor|never|nothing|nowhere|cannot|except|without|hardly|"
            "barely|too (?:early|late|soon|small|weak)|lacks?|lacking|fails?|unlikely|absent|"
            "absence|zero|wrong|false"
        ),
        "de": "nicht|keine?[mnrs]?|nie|niemals|nirgends|nichts|ohne|kaum|weder",
        "fr": "non|ne|pas|aucune?|jamais|rien|sans",
        "es": "ni|ning[uú]n[oa]?|nunca|jam[aá]s|nada|sin|tampoco",
        "it": "nessun[oa]?|nulla|niente|senza",
        "pt": "não|nem|nenhuma?|sem",
        "nl": "niet|geen|nooit|zonder",
        "pl": r"brak|bez|żad\w+",
        "ru": "не|нет|ни|без",
        "sv": "inte|ing[ae]n|inget|utan",
        "tr": "yok|değil|hiçbir",
        "ar": "لا|ليس|ليست|لم|لن|بدون",
        "signs": (
            r"n['\u2019]t\b|\bn['\u2019](?=\w)|"
            r"नहीं|[不没沒无無未]|并非|な[いくかし]|ません|없|않|아니|아닙"
        ),
    },
    # Words that state that content does not change.
    "sameness": {
        "en": r"same|still|unchanged|continu\w+|remain\w*|goes on to|more of",
        "de": r"weiter\w*|gleich\w*|fortsetz\w+",
        "fr": "même|suite",
        "es": "mism[oa]|sigue",
        "others": "stesso|mesmo|ainda|hetzelfde|nadal",
        "signs": "仍|[继繼]续|続",
    },
    # Words of a sentence in prose that doubts a change.
    "doubt": {
        "en": (
            r"little|minor|slight|cosmetic|superficial|up to|if|might|could|may|perhaps|possibly|"
            r"doubt|later than|last|seem\w*|suppos\w+|apparent\w*|would|refus\w+|yet to|far from|"
            "anything but|rather than"
        ),
        "de": r"könnten?|vielleicht|scheinbar|niemand|würden?",
        "fr": r"pourrai\w+|peut-être|appare\w+|semble\w*",
        "es": r"podrían?|quizás?|tal vez|apare\w+|parece\w*",
        "signs": "可能|也许|かもしれ",
    },
    # Words in a sentence that states a change of content.
    "change": {
        "en": (
            r"(?:shift|turn|chang|start|begin|began|new|switch|mov|break|differ|transition|divid|"
            r"boundar)\w*|opens"
        ),
        "de": r"(?:wechsel|wende|änder|beginn|neu|ander|anfang)\w*",
        "fr": r"(?:commenc|début|nouv|tourn|bascul)\w*",
        "es": r"(?:cambi|comienz|empie|inici|nuev|gir)\w*",
        "signs": "[转轉變变換换新始移変]",
    },
    # Words before the last of several items.
    "and": {
        "en": "and|also|as well as|then|finally|lastly",
        "de": "und",
        "fr": "et",
        "es": "y|e",
        "nl": "en",
        "pl": "oraz",
        "ru": "и",
        "signs": "[和及與与と&]",
    },
    # Words between a change and the unit before it.
    "after": {
        "en": r"after|following|(?:end|conclude|finish)(?:s|ing)? (?:at|in|on|with)",
        "de": "nach|hinter|endet (?:bei|in|mit)",
        "fr": "apr[eè]s",
        "es": "despu[eé]s de|tras",
        "ru": "после",
    },
    # Words between two items that are alternatives or the ends of a range.
    "or_to": {
        "en": "or|to|through",
        "de": "oder|bis",
        "fr": "ou|[aà]",
        "es": "o|hasta",
        "signs": "[或到至]|または|から|[-\u2013\u2014~?/]",
    },
    # Words before an item that is excluded.
    "exclusion": {
        "en": "not|rather than|instead of",
        "de": "nicht|statt",
        "fr": "non|pas|plut[oô]t que",
        "es": "no",
        "signs": "而不是",
    },
    # Words before an answer that replaces the one above it.
    "correction": {
        "en": "wait|actually|correction|scratch that|on second thoughts?|hm+|i meant?",
        "de": "moment|halt|eigentlich|korrektur|vielmehr",
        "fr": "attendez|en fait|plut[oô]t",
        "es": "en realidad|mejor dicho|quise decir|perdón",
        "ru": "точнее|вернее",
        "ar": "بل",
        "signs": "不对|不對|更正|应该是|正しくは|訂正",
    },
    # Words before the reason for an item.
    "reason": {"en": "as|because|since|where", "de": "da|weil|denn", "fr": "car", "es": "porque"},
    # Words before the number of a unit in prose.
    "unit": {
        "signs": (
            r"(?<![^\W\d_぀-鿿])(?:id|paragra(?:ph|phe|f)|p[aá]rrafo|absatz|abschnitt|passage|"
            r"section|number)|第|段落"
        ),
    },
    # Phrases that models use to decline.
    "refusal": {
        "en": (
            "sorry|i(?:['\u2019]m| am) (?:unable|not (?:able|allowed|comfortable))|"
            "i (?:can(?:no|['\u2019])t|will not|won['\u2019]t|(?:must |have to )?(?:decline|"
            "refuse))|cannot (?:assist|help|comply)|against (?:my|the) (?:policy|guidelines)|"
            "apolog(?:ies|i[sz]e)"
        ),
        "de": "es tut mir leid",
        "fr": "d[ée]sol[ée]e?|je ne peux pas",
        "es": "lo siento|no puedo",
        "it": "mi dispiace|non posso",
        "pt": "desculpe|não posso",
        "nl": "het spijt",
        "pl": "przykro mi|nie mogę",
        "ru": "извините|простите|не могу",
        "tr": "üzgünüm",
        "sv": "tyvärr",
        "ar": "عذرًا|عذرا|آسف",
        "signs": "抱歉|对不起|對不起|申し訳|죄송|क्षमा|माफ़",
    },
}


def any_of(name: str) -> str:
    """Return a regular expression for each word of a list, whatever its language."""
    own = {"signs": "", **_LISTS[name]}
    signs = own.pop("signs")
    words = [rf"\b(?:{'|'.join(own.values())})\b"] if own else []
    return f"(?:{'|'.join(filter(None, [*words, signs]))})"
