"""Words that the answer parser recognises, in the most frequent languages of answers.

Every list has words of English, German, French, Spanish, Chinese and Japanese. The lists of labels,
denials and refusals also have words of Italian, Portuguese, Dutch, Polish, Russian, Swedish,
Turkish, Korean, Arabic and Hindi.
"""

from __future__ import annotations

# Each entry is a part of a regular expression: whole words, or "signs" anywhere.
_LISTS: dict[str, dict[str, str]] = {
    # The label before an answer: the word "answer".
    "label": {
        "latin": (
            "answers?|ans|response|result|conclusion|final|action input|"
            "antwort|r[eé]ponse|respuesta|risposta|resposta|antwoord|odpowied[zź]|svar(?:et)?|"
            r"vastaus|cevap|yan\w?t|v[aá]lasz|odpověď|odpoveď|răspuns|jawaban|trả lời|đáp án"
        ),
        "others": "ответ|відповідь|απάντηση|الجواب|الإجابة|پاسخ|جواب|תשובה",
        "signs": "उत्तर|উত্তর|คําตอบ|答案|回答|答え|정?답변?",
    },
    # The answer that the content does not change.
    "no_start": {
        "en": (
            r"n/a|not applicable|none(?: of (?:them|the \w+))?|null|nowhere|nothing(?: changes)?|"
            r"false|(?:there(?:['\u2019]s| is| are) )?"
            r"no(?: (?:(?:clear|content|new|topic) )*(?:shift|turn|change|part|content)s?)?"
        ),
        "de": "keine?r?(?: wechsel)?|nirgends|nichts",
        "fr": "aucune?|nulle part|rien",
        "es": "ning[uú]n[oa]?|nada",
        "others": (
            r"nessun[oa]?|nenhuma?|geen|brak|żad\w+|нет|ни один|ing[ae]n|inget|yok|لا|هیچ|"
            "אין|hiçbiri|không(?: có)?|tidak ada|немає|žádn[ýáé]|niciunul|ei mikään|κανένα"
        ),
        "signs": "(?:कोई )?नहीं|কোনোটি নয়|ไม่มี|[无無]|[没沒]有|(?:該当)?なし|ない|없(?:음|습니다)",
    },
    # Words of a sentence that denies something.
    "denial": {
        "en": (
            "no|not|none|neither|nor|never|nothing|nowhere|cannot|except|without|hardly|"
            "barely|too (?:early|late|soon|small|weak)|lacks?|lacking|fails?|unlikely|absent|"
            "absence|zero|wrong|false"
        ),
        "others": (
            "nicht|keine?[mnrs]?|nie|niemals|nirgends|nichts|ohne|kaum|weder|non|ne|pas|aucune?|jamais|"
            "rien|sans|ni|ning[uú]n[oa]?|nunca|jam[aá]s|nada|sin|tampoco|nessun[oa]?|nulla|niente|senza|"
            r"não|nem|nenhuma?|sem|niet|geen|nooit|zonder|brak|bez|żad\w+|не|нет|ни|без|inte|ing[ae]n|"
            "inget|utan|yok|değil|hiçbir|لا|ليس|ليست|لم|لن|بدون"
        ),
        "signs": (
            r"n['\u2019]t\b|\bn['\u2019](?=\w)|"
            r"नहीं|[✗✘❌不没沒无無未]|并非|な[いくかし]|ません|없|않|아니|아닙"
        ),
    },
    # Words that state that content does not change.
    "sameness": {
        "en": r"same|still|unchanged|continu\w+|remain\w*|persist\w*|goes on to|more of",
        "others": (
            r"weiter\w*|gleich\w*|fortsetz\w+|même|suite|mism[oa]|sigue|stesso|mesmo|ainda|hetzelfde|"
            "nadal"
        ),
        "signs": "仍|[继繼]续|続",
    },
    # Words of a sentence in prose that doubts a change.
    "doubt": {
        "en": (
            r"closest|little|minor|slight|cosmetic|superficial|up to|if|might|could|may|maybe|"
            r"perhaps|possibly|doubt|later than|last|seem\w*|suppos\w+|apparent\w*|would|refus\w+|"
            "yet to|far from|anything but|rather than"
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
            r"boundar)\w*|opens|is the (?:\w+ )?answer"
        ),
        "de": r"(?:wechsel|wende|änder|beginn|neu|ander|anfang)\w*",
        "fr": r"(?:commenc|début|nouv|tourn|bascul)\w*",
        "es": r"(?:cambi|comienz|empie|inici|nuev|gir)\w*",
        "signs": "[转轉變变換换新始移変]",
    },
    # Words before the last of several items.
    "and": {
        "words": "and|also|as well as|then|finally|lastly|und|et|y|e|en|och|i|oraz|ve|và|dan|и|та",
        "signs": "[和及與与と&]|और",
    },
    # Words between a change and the unit before it.
    "after": {
        "en": r"after|following|(?:end|conclude|finish)(?:s|ing)? (?:at|in|on|with)",
        "others": r"nach|hinter|endet (?:bei|in|mit)|apr[eè]s|despu[eé]s de|tras|после",
    },
    # Words between two items that are alternatives or the ends of a range.
    "or_to": {
        "words": "or|otherwise|to|through|oder|bis|ou|[aà]|o|hasta",
        "signs": r"[或到至]|または|から|[-\u2013\u2014~?/]|\.{2,3}",
    },
    # Words before an item that is excluded.
    "exclusion": {
        "words": "not|rather than|instead of|nicht|statt|non|pas|plut[oô]t que|no",
        "signs": "而不是",
    },
    # Words before an answer that replaces the answer above it.
    "correction": {
        "en": (
            "wait|actually|correction|edit|scratch that|on (?:reflection|second thoughts?)|hm+|"
            "i meant?|or rather|or better|make that|oops"
        ),
        "others": (
            "moment|halt|eigentlich|korrektur|vielmehr|attendez|en fait|plut[oô]t|en realidad|"
            "mejor dicho|quise decir|perdón|anzi|aliás|точнее|вернее|بل"
        ),
        "signs": "不对|不對|更正|应该是|正しくは|訂正",
    },
    # Words before the reason for an item.
    "reason": {"en": "as|because|since|where", "de": "da|weil|denn", "fr": "car", "es": "porque"},
    # Words before the number of a unit in prose.
    "unit": {
        "signs": (
            r"(?<![^\W\d_぀-鿿])(?:id|paragra(?:ph|phe|f)|p[aá]rrafo|absatz|abschnitt|абзац|"
            r"passage|section|number)|第|段落"
        )
    },
    # Phrases that models use to decline.
    "refusal": {
        "en": (
            "sorry|i(?:['\u2019]m| am) (?:unable|not (?:able|allowed|comfortable))(?! to see)|"
            "i (?:can(?:no|['\u2019])t(?! (?:see|find))|will not|won['\u2019]t|(?:must |have to )?"
            "(?:decline|refuse))|cannot (?:assist|help|comply)|"
            "against (?:my|the) (?:policy|guidelines)|apolog(?:ies|i[sz]e)"
        ),
        "others": (
            "es tut mir leid|d[ée]sol[ée]e?|je ne peux pas|lo siento|no puedo|mi dispiace|"
            "n(?:on|ão) posso|desculpe|het spijt|przykro mi|nie mogę|üzgünüm|tyvärr|извините|"
            "простите|не могу|عذرًا|عذرا|آسف"
        ),
        "signs": "抱歉|对不起|對不起|申し訳|죄송|क्षमा|माफ़",
    },
}


def any_of(name: str) -> str:
    """Return a regular expression for each word of a list, whatever its language."""
    forms = {"signs": "", **_LISTS[name]}
    signs = forms.pop("signs")
    words = [rf"\b(?:{'|'.join(forms.values())})\b"] if forms else []
    return f"(?:{'|'.join(filter(None, [*words, signs]))})"
