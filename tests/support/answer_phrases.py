"""Words that assistants write around references, in eight languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases of one language. ``labels``: names of the fields, in the order of `_FIELDS`. ``mentions``: sentences."""

    by: str
    conjunction: str
    et_al: str
    quotes: str
    labels: str
    references: str
    opening: str
    closing: str
    note: str
    advice: str
    refusal: str
    thinking: str
    sentence: str
    topics: tuple[str, str]
    remarks: tuple[str, ...]
    mentions: tuple[str, ...]

    def label(self, name: str) -> str:
        """The name of a field or of a column."""
        return dict(zip(_FIELDS, self.labels.split(), strict=True))[name]


_FIELDS = ("title", "authors", "year", "venue", "doi", "why", "reference")

PHRASES: Mapping[str, Phrases] = {
    "English": Phrases(
        by="by", conjunction="and", et_al="et al.", quotes="“”",
        labels="Title Authors Year Venue DOI Relevance Reference", references="References",
        opening="Sure! Here are some key papers on the topic, published since 1948:",
        closing="Let me know if you would like summaries, or BibTeX entries for any of these.",
        note="**Note:** My knowledge ends in 2024, so please verify each reference in Google Scholar before you cite it.",
        advice="**How to find more**\n\n- Search Google Scholar for “survey” and the name of the method.\n"
        "- Use Connected Papers to explore related work.\n- Check the proceedings of NeurIPS 2023 and ICML 2024.",
        refusal="I'm sorry, but I cannot verify publications and would rather not invent references. As of 2024, I recommend:\n\n"
        "1. **Google Scholar**: search for the topic, sort by date.\n2. **Semantic Scholar**: filter for the years 2020–2024.",
        thinking="The user wants papers. Maybe Smith et al. (2019), “A survey of everything”? I should be careful with details.",
        sentence="Models of this kind have been studied for a long time.",
        topics=("Foundations", "Recent advances and applications"),
        remarks=("Introduced the method and showed strong results.", "*Why it matters:* It shaped the whole field.",
                 "Widely cited; a good starting point for 2020s research."),
        mentions=("A key work is {t} by {p} ({y}), which changed the field.", "{p} ({y}) describe this in {t}.",
                  "See also {p}, {t} ({y})."),
    ),
    "German": Phrases(
        by="von", conjunction="und", et_al="et al.", quotes="„“",
        labels="Titel Autoren Jahr Zeitschrift DOI Relevanz Quelle", references="Literatur",
        opening="Gerne! Hier sind einige wichtige Arbeiten zum Thema, erschienen seit 1948:",
        closing="Soll ich einzelne Arbeiten zusammenfassen oder die Liste als BibTeX ausgeben?",
        note="**Hinweis:** Mein Wissen endet 2024. Bitte prüfen Sie jede Angabe in Google Scholar, bevor Sie sie zitieren.",
        advice="**Weitere Suche**\n\n- Suchen Sie in Google Scholar nach „Überblick“ und dem Namen der Methode.\n"
        "- Nutzen Sie die Datenbank DBLP.\n- Prüfen Sie die Tagungsbände der NeurIPS 2023.",
        refusal="Leider kann ich Veröffentlichungen nicht prüfen und möchte keine Quellen erfinden. Ich empfehle:\n\n"
        "1. **Google Scholar**: nach dem Thema suchen, nach Datum sortieren.\n2. **DBLP**: nach den Jahren 2020–2024 filtern.",
        thinking="Der Nutzer möchte Arbeiten. Vielleicht Müller et al. (2019), „Ein Überblick“? Ich muss vorsichtig sein.",
        sentence="Solche Modelle werden seit langem untersucht.",
        topics=("Grundlagen", "Neuere Entwicklungen und Anwendungen"),
        remarks=("Führt die Methode ein und zeigt gute Ergebnisse.", "*Bedeutung:* prägte das ganze Gebiet.",
                 "Viel zitiert; ein guter Einstieg."),
        mentions=("Grundlegend ist {t} von {p} ({y}).", "{p} ({y}) beschreiben das in {t}.", "Siehe auch {p}, {t} ({y})."),
    ),
    "French": Phrases(
        by="de", conjunction="et", et_al="et al.", quotes="«»",
        labels="Titre Auteurs Année Revue DOI Intérêt Référence", references="Références",
        opening="Bien sûr ! Voici quelques articles importants sur le sujet, publiés depuis 1948 :",
        closing="Souhaitez-vous un résumé de l'un de ces articles ?",
        note="**Remarque :** mes connaissances s'arrêtent en 2024 ; vérifiez chaque référence avant de la citer.",
        advice="**Pour aller plus loin**\n\n- Cherchez « état de l'art » dans Google Scholar.\n- Consultez la base HAL.\n"
        "- Parcourez les actes de NeurIPS 2023.",
        refusal="Désolé, je ne peux pas vérifier les publications et préfère ne pas inventer de références. Essayez :\n\n"
        "1. **Google Scholar** : cherchez le sujet et triez par date.\n2. **HAL** : filtrez les années 2020–2024.",
        thinking="L'utilisateur veut des articles. Peut-être Dupont et al. (2019), « Un état de l'art » ? Prudence.",
        sentence="Ces modèles sont étudiés depuis longtemps.",
        topics=("Fondements", "Avancées récentes et applications"),
        remarks=("Introduit la méthode et montre de bons résultats.", "*Intérêt :* a marqué tout le domaine.",
                 "Très cité ; un bon point de départ."),
        mentions=("L'article fondateur est {t} de {p} ({y}).", "{p} ({y}) décrivent cela dans {t}.",
                  "Voir aussi {p}, {t} ({y})."),
    ),
    "Spanish": Phrases(
        by="de", conjunction="y", et_al="et al.", quotes="«»",
        labels="Título Autores Año Revista DOI Relevancia Referencia", references="Referencias",
        opening="¡Claro! Estos son algunos artículos clave sobre el tema, publicados desde 1948:",
        closing="¿Quieres que resuma alguno de estos artículos?",
        note="**Nota:** mi conocimiento llega hasta 2024; verifica cada referencia en Google Scholar antes de citarla.",
        advice="**Cómo encontrar más**\n\n- Busca «revisión» en Google Scholar.\n- Consulta la base de datos Dialnet.\n"
        "- Revisa las actas de NeurIPS 2023.",
        refusal="Lo siento, no puedo verificar publicaciones y prefiero no inventar referencias. Te recomiendo:\n\n"
        "1. **Google Scholar**: busca el tema y ordena por fecha.\n2. **Dialnet**: filtra los años 2020–2024.",
        thinking="El usuario quiere artículos. ¿Quizá García et al. (2019), «Una revisión»? Debo tener cuidado.",
        sentence="Estos modelos se estudian desde hace tiempo.",
        topics=("Fundamentos", "Avances recientes y aplicaciones"),
        remarks=("Introduce el método y muestra buenos resultados.", "*Importancia:* marcó todo el campo.",
                 "Muy citado; un buen punto de partida."),
        mentions=("El trabajo clave es {t} de {p} ({y}).", "{p} ({y}) lo describen en {t}.", "Véase también {p}, {t} ({y})."),
    ),
    "Portuguese": Phrases(
        by="de", conjunction="e", et_al="et al.", quotes="“”",
        labels="Título Autores Ano Periódico DOI Relevância Referência", references="Referências",
        opening="Claro! Aqui estão alguns artigos importantes sobre o tema, publicados desde 1948:",
        closing="Quer que eu resuma algum destes artigos?",
        note="**Observação:** meu conhecimento vai até 2024; confira cada referência antes de citá-la.",
        advice="**Como encontrar mais**\n\n- Pesquise “revisão” no Google Scholar.\n- Consulte a base SciELO.\n"
        "- Veja os anais da NeurIPS 2023.",
        refusal="Desculpe, não posso verificar publicações e prefiro não inventar referências. Sugiro:\n\n"
        "1. **Google Scholar**: pesquise o tema e ordene por data.\n2. **SciELO**: filtre os anos 2020–2024.",
        thinking="O usuário quer artigos. Talvez Silva et al. (2019), “Uma revisão”? Preciso ter cuidado.",
        sentence="Esses modelos são estudados há muito tempo.",
        topics=("Fundamentos", "Avanços recentes e aplicações"),
        remarks=("Introduz o método e mostra bons resultados.", "*Importância:* marcou toda a área.",
                 "Muito citado; um bom ponto de partida."),
        mentions=("O trabalho fundamental é {t} de {p} ({y}).", "{p} ({y}) descrevem isso em {t}.",
                  "Ver também {p}, {t} ({y})."),
    ),
    "Russian": Phrases(
        by="—", conjunction="и", et_al="et al.", quotes="«»",
        labels="Название Авторы Год Журнал DOI Значение Источник", references="Литература",
        opening="Конечно! Вот несколько важных работ по теме, вышедших с 1948 года:",
        closing="Хотите, я кратко изложу какую-нибудь из этих работ?",
        note="**Примечание:** мои знания заканчиваются 2024 годом; проверьте каждую ссылку, прежде чем её приводить.",
        advice="**Как найти больше**\n\n- Ищите «обзор» в Google Scholar.\n- Посмотрите базу eLibrary.\n"
        "- Просмотрите труды NeurIPS 2023.",
        refusal="К сожалению, я не могу проверить публикации и не хочу придумывать ссылки. Советую:\n\n"
        "1. **Google Scholar**: ищите по теме и сортируйте по дате.\n2. **eLibrary**: выберите годы 2020–2024.",
        thinking="Пользователь хочет статьи. Может быть, Иванов и др. (2019), «Обзор»? Надо быть осторожным.",
        sentence="Такие модели изучаются давно.",
        topics=("Основы", "Новые результаты и приложения"),
        remarks=("Вводит метод и показывает хорошие результаты.", "*Значение:* определила развитие области.",
                 "Часто цитируется; хорошее начало."),
        mentions=("Основополагающая работа — {t} ({p}, {y}).", "{p} ({y}) описывают это в {t}.", "См. также {p}, {t} ({y})."),
    ),
    "Chinese": Phrases(
        by="作者：", conjunction="and", et_al="et al.", quotes="《》",
        labels="标题 作者 年份 期刊 DOI 说明 参考文献", references="参考文献",
        opening="好的！以下是1948年以来该领域的一些重要论文：",
        closing="如果需要，我可以进一步总结其中任何一篇。",
        note="**注意：** 我的知识截至2024年，请在引用前通过 Google Scholar 核实每条文献。",
        advice="**检索建议**\n\n- 在 Google Scholar 中搜索“综述”。\n- 使用中国知网。\n- 查看 NeurIPS 2023 的论文集。",
        refusal="抱歉，我无法核实文献，也不想编造参考文献。建议：\n\n1. **Google Scholar**：搜索主题并按日期排序。\n"
        "2. **中国知网**：筛选2020–2024年。",
        thinking="用户想要论文。也许是 Wang et al. (2019)，《综述》？要小心。",
        sentence="这类模型已被研究多年。",
        topics=("基础", "最新进展与应用"),
        remarks=("提出了该方法并取得了良好的效果。", "*意义：* 影响了整个领域。", "被广泛引用，适合入门。"),
        mentions=("最重要的是 {p}（{y}）的{t}。", "{p} ({y}) 在 {t} 中描述了这一点。", "另见 {p}，{t}（{y}）。"),
    ),
    "Japanese": Phrases(
        by="著者：", conjunction="and", et_al="et al.", quotes="『』",
        labels="タイトル 著者 年 掲載誌 DOI 説明 引用", references="参考文献",
        opening="もちろんです。1948年以降の重要な論文を紹介します：",
        closing="必要であれば、いずれかの論文を要約します。",
        note="**注意：** 私の知識は2024年までです。引用する前に Google Scholar で確認してください。",
        advice="**検索のヒント**\n\n- Google Scholar で「サーベイ」を検索。\n- CiNii を使う。\n- NeurIPS 2023 の論文集。",
        refusal="申し訳ありませんが、文献を確認できないため、参考文献を作り出すことは控えます。次をお勧めします：\n\n"
        "1. **Google Scholar**：テーマを検索し、日付順に並べる。\n2. **CiNii**：2020–2024年で絞り込む。",
        thinking="ユーザーは論文を求めている。Tanaka et al. (2019)「サーベイ」かもしれない。注意が必要だ。",
        sentence="この種のモデルは長く研究されてきた。",
        topics=("基礎", "最近の進展と応用"),
        remarks=("手法を導入し、良い結果を示した。", "*意義：* 分野全体に影響を与えた。", "広く引用され、入門に適している。"),
        mentions=("重要なのは {p}（{y}）の{t}である。", "{p} ({y}) は {t} でこれを述べている。", "{p}、{t}（{y}）も参照。"),
    ),
}  # fmt: skip
