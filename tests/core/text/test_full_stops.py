import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.text.full_stops import sentence_continues
from lumber_core.text.sentence_starts import starts_of_sentences
from lumber_core.text.units import sentences
from tests.phrases import phrases


def by_language(text: str) -> dict[str, list[str]]:
    """Return the phrases of each language, from lines such as "de: Er kam am 5. Mai."."""
    phrases_by_language: dict[str, list[str]] = {}
    for line in text.strip().splitlines():
        language, _, written = line.strip().partition(": ")
        phrases_by_language.setdefault(language, []).extend(phrases(written))
    return phrases_by_language


WHOLE = by_language("""
    fr: M. Dupont habite ici. | Il a vu Mme. Curie et le Dr. Roux. | Voir p. ex. Lyon.
    fr: L'art. 5 du code civil. | Né en 50 av. J.-C. à Rome. | Les éd. Gallimard publient.
    fr: J.-P. Sartre écrit. | C. Dupont et A. Martin sont venus. | Cf. Dupont et al. 2005.
    fr: Voir p. 12 et suiv. du livre. | La S. A. R. L. Durand ferme. | Le prof. Martin vient.
    fr: Né au Ier s. av. J.-C. à Rome. | Voir l'art. L. 123-4 du code. | Louis XIV. fut roi.
    fr: C'est env. 5 km, c.-à-d. peu. | « Non ! » — dit-il. | Env. 5 pers. vinrent hier.
    fr: L'éd. orig. (1990) est rare. | Voyez « Pressés ? » à propos.
    de: Dies ist der 17. Versuch. | Er ist Fan vom 1. FC Bergheim. | Es kostet 5 Mio. Euro.
    de: Obst, z. B. Birnen, ist gesund. | Obst, z.B. Birnen, ist gesund. | Das ist d. h. Unsinn.
    de: Die Firma Müller bzw. Meier kam. | Vgl. Abb. 3 und Kap. 4. | Am 3. Oktober kam er.
    de: Das 20. Jahrhundert war lang. | Dr. med. Huber kommt. | Im Jahr 44 v. Chr. Geburt starb er.
    de: Herr Prof. Dr. Klein sprach. | Gem. § 5 Abs. 2 Nr. 3 BGB gilt das.
    de: König Friedrich II. Hohenzollern starb. | Sie wohnt in der Beethovenstr. 5 in Bonn.
    de: Frau Dr.-Ing. Meier sprach. | Es gibt u. a. Hunde und Katzen. | Ca. Hundert kamen.
    de: Boote, Ruder usw. Segel liegen hier. | Boote usw. 5 davon. | Abb. 1. Das Boot liegt am Steg.
    de: Das dauert 5 min. lang. | Vgl. Az. VI ZR 3/90 dazu. | Siehe _„In Eile?“_ dort.
    de: Das Boot ... öffnet sich.
    nl: Het kostte 3 mln. Euro. | Jan d.d. 10-03-2020 tekende. | De heer dhr. De Vries kwam.
    nl: Dat is bijv. Amsterdam. | Zie blz. 5 en art. 3. | Mevr. Jansen is er.
    nl: In 50 v.Chr. Rome brandde. | Hij woont in de Kerkstr. 12 te Delft.
    pl: Zob. art. 5 ust. 2 ustawy. | Koszt to 5 tys. zł. | Np. Kraków jest ładny.
    pl: Mieszka przy ul. Długiej 5. | W XIX w. Polska zniknęła. | Pan dr. Kowalski przyszedł.
    pl: Był to 5. Festiwal Filmowy. | To jest m.in. Warszawa. | Św. Jan i ks. Piotr.
    pl: Zob. art. 5 k.c. oraz ust. 2. | Mieszka na ul. Długiej 5 m. 3 w Krakowie.
    pl: Gen. bryg. Nowak i płk dypl. Kos przybyli.
    pl: To było 5 proc. wartości w czerwcu br. w Krakowie.
    tr: Bkz. sayfa 5. | Sonra IV. Murat geldi. | Dr. Ayşe geldi. | Prof. Dr. Ali Yılmaz konuştu.
    tr: II. Dünya Savaşı bitti. | Atatürk Cad. No. 5 adresinde. | Örn. Ankara büyüktür.
    tr: 19. Yüzyıl uzundu. | M.Ö. 5. yüzyılda yaşadı.
    ru: Это в г. Казани, т. е. далеко. | А. С. Пушкин родился в 1799 г. в Москве.
    ru: Живёт на ул. Ленина, д. 5, кв. 3. | Стоит 5 тыс. руб. за штуку. | См. рис. 3 и табл. 2.
    ru: Проф. Иванов пришёл. | В XIX в. Россия росла. | В 1812 г. Наполеон пришёл.
    ru: Яблоки, груши и т. д. есть. | Он живёт в д. Иваново. | Полк. Петров пришёл.
    ru: Звоните, доб. 3, днём.
    es: El Sr. García vive aquí. | Vea la pág. 5 y el art. 3. | Hay frutas, p. ej. Manzanas.
    es: Hay frutas, p. ej. manzanas. | La Dra. López y el Dr. Ruiz. | En EE. UU. Nixon ganó.
    es: Ud. Tiene razón. | El núm. 5 de la Avda. Constitución. | En 50 a. C. Roma ardió.
    es: Nació en el s. XIX d. C. en Madrid. | —¿Vienes? —preguntó ella. | Vive en Bs. As. y escribe.
    es: Vive en la pta. 3 de allí. | Hay 42 hab. por casa.
    it: Il sig. Rossi abita qui. | Vedi pag. 5 e fig. 3. | Il dott. Bianchi e la dott.ssa Neri.
    it: La S.p.A. Fiat chiude. | Es. Roma è bella. | Nel sec. XX tutto cambiò. | Art. 5 della legge.
    it: Vale l'art. 5 c. 2 della legge. | Pesa 3 kg.
    it: Cfr. Cass. civ., sez. III, sent. n. 3 del 1990.
    pt: O Sr. Silva mora aqui. | Ver pág. 5 e art. 3. | A Dra. Costa e o Prof. Lima.
    pt: Há frutas, p. ex. Maçãs. | Mora na Av. Paulista. | No séc. XX tudo mudou.
    da: Den 5. maj kom han. | Han er f.eks. Dansker. | Det er bl.a. Odense.
    da: Hr. Jensen og fr. Olsen. | Se s. 5 og nr. 3. | Det var 3. Gang.
    no: Den 17. mai feirer vi. | Han er f.eks. Norsk. | Det er bl.a. Oslo.
    no: Kong Harald 5. Haakonsson kom.
    nb: Den 17. mai feirer vi. | Det koster 5 mill. Kroner.
    sv: Det är t.ex. Stockholm. | Hr. Svensson bl.a. Kom. | Se s. 5 och kap. 3.
    sv: Det kostar ca. 5 kr. | Han bor på Storg. 5 i Lund. | Hon bor på Kungsg. 12 i Lund.
    fi: Hän tuli 5. toukokuuta. | Esim. Helsinki on suuri. | Prof. Virtanen puhui.
    fi: Se on mm. Turku. | Ks. s. 5 ja luku 3.
    cs: Bylo to 5. května. | Např. Praha je krásná. | Je to tzv. Hradec. | Viz č. 5 a str. 3.
    cs: Prof. Novák a Ing. Dvořák přišli. | Karel IV. Lucemburský zemřel. | To je tj. Brno.
    cs: V 19. Století to bylo. | Novák, Ph.D., přišel.
    sk: Napr. Bratislava je krásna. | Bolo to 5. mája. | Ing. Novák prišiel.
    sk: Je to tzv. Starý hrad. | Stálo to 5 tis. Eur.
    hu: Dr. Kovács eljött. | Pl. Budapest szép. | Ez az 5. Fejezet. | Ld. a 3. ábrát.
    hu: A 19. században élt. | IV. Béla király volt.
    ro: Dl. Popescu a venit. | De ex. București e mare. | Vezi pag. 5 și art. 3. | Str. Lungă nr. 5.
    hr: Npr. Zagreb je velik. | Bilo je to 5. svibnja. | Prof. Horvat je došao.
    hr: Rođen je 5. svibnja 1990. u Zagrebu. | To je tzv. Stari grad. | U 19. Stoljeću je živio.
    sr: Npr. Beograd je velik. | Види стр. 5 и сл. 3. | Проф. Петровић и др. Јовић су дошли.
    sl: Npr. Ljubljana je velika. | Bilo je 5. maja. | Dr. Novak je prišel. | Glej str. 5.
    bg: Това е в гр. София. | Т.е. далеч. | Проф. Иванов дойде. | Ул. Шипка № 5.
    bg: Той е род. 1950 г. в града. | Това е на арх. Калин.
    uk: Це в м. Київ, тобто далеко. | Т. Г. Шевченко жив. | Див. рис. 3. | Живе на вул. Франка 5.
    uk: У 1991 р. Україна стала вільною. | Прийшов полк. Бондар. | Він каже «Поспішаєте?» про човен.
    el: Ο κ. Παπαδόπουλος ήρθε. | Βλ. σελ. 5. | Φρούτα, π.χ. Μήλα. | Η οδός Αγ. Μάρκου.
    et: Nt. Tallinn on suur. | See oli 5. Mai. | Ta sündis 1945. aastal.
    lv: Piem. Rīga ir liela. | Tas bija 5. Maijs. | Prof. Bērziņš atnāca.
    lt: Pvz. Vilnius yra didelis. | Prof. Kazlauskas atėjo. | Žr. p. 5.
    lt: Tai buvo 30 proc. kompanijų.
    ca: El Sr. Puig viu aquí. | Fruites, p. ex. Pomes. | Vegeu la pàg. 5.
    id: Jl. Sudirman No. 5 Jakarta. | Bpk. Budi datang. | Prof. Dr. Habibie datang.
    id: Lahir tgl. 5 Mei di Jakarta. | Lih. bab 3 di sana, ps. 5 ay. 2.
    vi: Anh sống ở TP. Hồ Chí Minh. | GS. Nguyễn đến.
    ja: 彼は「もう遅い。」と言った。 | Vol. 4が出た。 | 新刊はVol. 4です。
    ja: 「保存...」を選択します。
    zh: “来吧！”他说。 | 「來吧！」她問道，很急。 | 『來吧！』她問道。 | 他选择“保存...”的选项。
    zh: 选择“保存...”，然后走。
    ko: 그는 "와!"라고 말했다. | 점 두 개 `..`를 쓰면 됩니다.
    hi: डॉ. शर्मा आए हैं। | डा. शर्मा आए हैं। | कंपनी प्रा. लि. बंद हुई। | ई.पू. 300 में नगर गिरा।
    bn: অধ্যাপক মো. রহমান এলেন।
    ar: جاء د. محمد إلى البيت. | جاء أ.د. محمد إلى البيت.
    el: «Γιατί;» ρώτησε εκείνη.
    en: See Fed. R. Civ. P. 12. | It is of Eimeria spp. with signs. | See 5 F. Supp. 2d 7.
    en: Ae. albopictus spread. | 1. Open the box. | They met in vol. 4 of it.
    en: See fig. 3 and tab. 2. | Mr. Smith met Dr. Jones. | See Figs. 3 and 4 in Sect. IV of it.
    en: J. R. R. Tolkien wrote it. | In ch. 5 he dies. | He lives at Apt. 4 in York.
    en: It has two parts: b. The oar. | u. a. The rest of it.
    en: It is Roe v. The State. | He sat at b. Maria's desk.
    en: It is e.g. Paris. | Cf. Smith et al. 2005. | The govt. said so. | A. First item.
    en: No. 5 is alive. | St. Paul wrote it. | They sell boats, oars, etc. in York.
    en: 2.1. Methods were simple. | - 2.3.4. Boats were new. | She saw No. CV 10-12 there.
    en: ### 5. Prices are low. | **5. Prices** are low. | Fig. 1. The boat left.
    en: CHAPTER IV. The boat left. | § 5. The boat may leave.
    en: **Storage.** The boats lie in a shed. | It is 5 ft. wide and 3 m. long.
    en: See subsec. 3 and Exh. B of it. | Set `$?` to 0, and `?.` or `...` (dots) again.
    en: Copy ./a and ../b and .\\\\c now. | A lift of 6 @.@ 5 tons. | Read _"Why so?"_ in the log.
    en: He read "The end." again. | Import boats.*, and call ~warn!~ again.
    en: ![The boat](a.png) is old. | Take `x?.`, then go.
    is: Ég spyr hæstv. ráðherra og hv. þm. Pál um 20 þús. tonn.
""")
DIVIDED = by_language("""
    zh: “来吧！” 她来了。 | “来吧！” 他知道。
    sv: Han bor i Göteborg. 12 år senare kom hon. | Han kom kl. 5 e.m. De gick.
    sv: Båtar, åror m.m. Sedan gick vi. | Jag vet det. Hon kom. | Han åker med. Malmö är stort.
    km: គាត់ទៅផ្ទះ។ គាត់គេង។
    bo: ཁོང་ཕེབས་སོང་། ང་འགྲོ།
    de: 1. Öffne die Tür. 2. Schließe sie. | Siehe Art. 5. Das gilt. | Er kam 2010. Das war gut.
    de: Er ist groß. Sie ist klein. | Er wurde 3. Das war gut.
    de: Das gilt nach Art. 5. Das andere nicht. | Er aß u. a. Fisch. Sie nicht.
    de: Boote, Ruder usw. Dann gingen wir. | Boote etc. Sie kamen.
    de: Er lebt in der Schweiz. Dort ist es schön. | Sie liebt mich. Bern ist weit.
    cs: 1. Otevřete dveře. 2. Zavřete je. | Bylo jich 17. Pak odešli.
    cs: Lodě, vesla atd. Pak jsme šli.
    en: He paused… Then he ran. | He won.¹ She lost. | It was found.12,13 The others failed.
    en: It took 5 h. The lamp burned. | It is 3 m. Row on.
    en: **The boat is put away after each trip.** Then it dries. | It was plan B. The other failed.
    en: He ate a fig. Then he left. | They sold apples etc. Then they left.
    en: It was 5. Then it was 6. | Smith Inc. The firm is big. | He sat in the sun. John left.
    en: They use C, C++, etc. Python is newer. | They sell boats, oars, etc. "We buy none," he said.
    en: They came to me. John left. | No. We stay. | That is fine art. John paints.
    en: It was OK. Maria left. | They left in May. Maria stayed. | We solve for x. It is open.
    en: See https://a.org/x. It is open. | It holds 5 µg/l. The rest is water.
    ru: Он весит 5 кг. Иванов его несёт. | Он пришёл. Иванов ушёл.
    ru: Лодки, вёсла и т. д. Потом мы ушли. | Лодки и т.п. Москва спит.
    it: Pesa 5 kg. La barca no. | Nacque nel 1990. Lei pure. | Barche, remi, ecc. Poi partimmo.
    it: Non lo so mai. Roma è bella. | Non lo so. Roma è bella.
    fr: Il est né en 1990. Elle aussi. | C'est le plan B. Il est bon.
    fr: Il habite à Paris. Dupont aussi. | Des bateaux, etc. Puis nous partîmes.
    fr: Bateaux, etc. Marseille dort. | Il a pris le vol. Il est parti.
    es: Llegó en 1990. Ella también. | Barcos, remos, etc. Luego nos fuimos.
    es: Está bien. María se fue. | Mide 5 km. Es largo.
    pl: Kosztuje 5 zł. To dużo. | Był rok 1990. On przyszedł. | Łodzie, wiosła itd. Potem poszliśmy.
    pl: Łodzie itp. Kraków śpi. | Kosztuje 10 zł. Doktor płaci. | Był rok 2006 r. W tym czasie spał.
    nl: Hij kwam in 1990. Zij ook. | Boten, riemen, enz. Toen gingen we. | Ik weet dat. Hij niet.
    nl: Dat is Jan. Piet ook. | Hij werkt laat. 's Avonds slaapt hij.
    af: Hy woon hier. 'n Man kom.
    mr: तो आला. ती गेली.
    cs: Stojí 40 Kč. Zaplaťte do pátku.
    tr: 1990 yılında geldi. O da geldi. | Elma vb. Sonra gittiler.
    da: Der var 17. Så gik de. | Både, årer osv. Så gik vi. | Han kommer med. Så går han.
    fi: Omenoita jne. Sitten he lähtivät.
    uk: Човни, весла і т. д. Потім пішли. | Це коштує 10 грн. Марія платить.
    hu: Hajók, evezők stb. Aztán elmentünk. | Azt mondta, nem. Péter elment.
    el: Βάρκες, κουπιά κ.λπ. Μετά φύγαμε.
    vi: Thuyền, mái chèo, v.v. Sau đó chúng tôi đi.
    nb: Han gikk inn i. Vi ventet. | Det skjer før jul. Kari kom.
    bg: Струва 25 лв. Асен плаща.
    ro: Costă 200 lei. Poliția vine.
    is: Hann stökk 6,70 m. Óðinn vann.
    pt: Navios, remos etc. O resto fica. | Ele vai aos EUA. Maria fica.
    et: Tulid Kari, Mari jt. Õhtu oli pikk.
    sl: Trajalo je dve leta. Odločili so se.
""")


def pieces(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@pytest.mark.parametrize("language", WHOLE)
def test_a_sentence_does_not_end_after_an_abbreviation(language: str) -> None:
    for sentence in WHOLE[language]:
        assert pieces(sentence, language) == [sentence]
        joined = sentence.replace(" ", "\u00a0", 1)
        assert pieces(joined, f"{language}-XX") == [joined]


@pytest.mark.parametrize("language", DIVIDED)
def test_a_sentence_ends_before_a_word_that_begins_one(language: str) -> None:
    for text in DIVIDED[language]:
        assert len(pieces(text, language)) == 2, text


def test_georgian_sentences_begin_without_capital_letters() -> None:
    assert not sentence_continues("კარგი. და", 7, "ka")


@given(st.text("aBIZ1.г é§«\"')\n ", max_size=60), st.sampled_from(["de", "en", "ru", "xx"]))
def test_only_sentences_with_a_full_stop_are_joined(text: str, language: str) -> None:
    for at in range(1, len(text)):
        if text[at] not in ".)\"'" and sentence_continues(text, at, language):
            assert "." in text[:at]
            assert text[:at].rpartition(".")[2].count("\n") < 2


@pytest.mark.parametrize(
    "name",
    phrases("""
        java.util.List | System.Collections.Generic.List | Foo.Bar | .NET | ASP.NET | README.MD
        matcher.RegexMatcher[] | `$Host.Name` | $this.GetType().GetValues() | [Season].GetValues()
        1.E | ~.WebSupport | Дом.Окно
    """),
)
@pytest.mark.parametrize("language", ["en", "de", "ru", "xx"])
def test_a_full_stop_in_a_name_does_not_end_a_sentence(name: str, language: str) -> None:
    text = f"We read {name} again. Then {name} fell.\n\n{name}"
    starts = [text.index("Then"), len(text) - len(name)]
    assert starts_of_sentences(text, language) == [0, *starts]


@pytest.mark.parametrize(
    "text",
    [
        *("He left. She stayed.", "He left (early). She stayed.", "He left... She stayed."),
        "他走了. 她来了.",
    ],
)
def test_sentences_without_a_space_between_them_are_divided(text: str) -> None:
    glued = text.replace(". ", ".")
    assert [glued[at] for at in starts_of_sentences(glued)] == [text[0], text.split(". ")[1][0]]


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        *(("Живёт в г. казани. ", "Это далеко.", each) for each in ("en", "xx", "zh", "yue")),
        ("Er traf Prof.\n\n", "Meier kam.", "de"),
        ("The lamp burns\n\n", "...and the keeper sleeps.", "en"),
        ("```text\nIt is late.\n```\n\n", "Go home.\n", "en"),
        *((text, "`None` is returned.", "en") for text in ("It rains. ", "It rains.\n")),
        *((text, "`None` is returned.", "en") for text in ("그는 갔습니다. ", "必須です。")),
    ],
)
def test_a_sentence_includes_its_opening_marks_and_begins_below_a_blank_line(
    first, second, language
) -> None:
    assert pieces(first + second, language) == [first, second]
