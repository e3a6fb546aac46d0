/** The page of a survey: one file that works from a disk. Everything of the data is escaped. */

import { createHash } from 'node:crypto';
import { GALLERY_STYLE } from '../deliver/gallery/gallery-style.ts';
import { type Html, html } from '../run/report/markup.ts';
import { amount, capital, integer, percentage } from '../run/report/text.ts';
import { readBytes } from '../support/files.ts';
import { packageFile } from '../support/package-file.ts';
import { pageHead } from '../support/page-head.ts';
import { cutText, TEXT_LIMITS } from '../support/text-limits.ts';
import { FEATURE_GROUPS, type FeatureGroup } from './articles/features.ts';
import { type AnswerData, convertSection, type DecidedLine } from './page/answers.ts';
import { indicationText, meaningOf, questionText } from './page/question-texts.ts';
import { SURVEY_STYLE } from './page/survey-style.ts';
import type { ArticlePictures, ShownImage, SurveyPictures } from './question-pictures.ts';
import type { Effect } from './readings/decide.ts';
import { READINGS, type ReadingOption, type ReadingValue } from './readings/readings.ts';
import type { OptionRecord, SurveyRecord } from './record.ts';
import { countsText } from './summary.ts';

/** Further content of the page. */
interface SurveyPageParts {
  /** Sentences that say what the anonymous form of the record contains. */
  anonymous?: readonly string[];
}

/**
 * Makes the page that asks the questions of a survey, and shows what it has found.
 *
 * @returns HTML with pictures, program and style in it.
 * @throws {@link ConverterError} `FILE_MISSING` if this package is not complete.
 */
export async function surveyPage(
  record: SurveyRecord,
  pictures: SurveyPictures,
  { anonymous = [] }: SurveyPageParts = {},
): Promise<string> {
  const style = GALLERY_STYLE + SURVEY_STYLE;
  const program = await answerProgram();
  const head = pageHead({
    'script-src': hashOf(program),
    'style-src': hashOf(style),
    'img-src': 'data:',
  });
  const questions = askedOf(record, pictures);
  const data: AnswerData = {
    key: `btg2gltf-survey-${createHash('sha256').update(JSON.stringify(record)).digest('hex')}`,
    questions: questions.map(({ option }) => option),
    decided: decidedLines(record),
  };
  const title = cutText(`Survey of ${record.pipeline}`, TEXT_LIMITS.name);
  const content = html`<a class="skip" href="#result">Skip to the result</a>
<div class="page">
<header><h1>${countsText(record)}</h1>${introductionOf(record, questions.length)}</header>
${barOf(questions.length)}
<main>
${pictures.missing === undefined ? undefined : html`<p class="sheet notice">There are no pictures, because ${pictures.missing}; then run the survey again. You can answer without them, if you know the data.</p>`}
${questions.map((question, at) => questionOf(question, at + 1, record, pictures))}
${decidedOf(record)}
${findingsOf(record)}
${unimportantOf(record)}
${featuresOf(record)}
${anonymousOf(anonymous)}
${resultOf(data)}
</main>
</div>
<dialog id="large" aria-labelledby="large-name"><div class="bar"><button type="button" id="large-before" class="step" aria-label="The picture before">‹</button><button type="button" id="large-after" class="step" aria-label="The next picture">›</button><p id="large-name"></p><button type="button" id="large-close" class="close" aria-label="Close">×</button></div><img id="large-picture" alt=""></dialog>`;
  return [
    `${head}\n${html`<title>${title}</title>`.html}\n<style>${style}</style>\n</head>\n<body>`,
    content.html,
    `<script type="application/json" id="answer-data">${inScript(data)}</script>`,
    `<script>${program}</script>`,
    '</body>\n</html>\n',
  ].join('\n');
}

/** A script in a page ends where it has the text of its end. */
async function answerProgram(): Promise<string> {
  const bytes = await readBytes(packageFile('dist/deliver/survey-answers.js'));
  return new TextDecoder().decode(bytes).replace(/<(?=\/script|!--)/gi, '\\x3c');
}

function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const withState = ({ options }: SurveyRecord, state: OptionRecord['state']) =>
  options.filter((option) => option.state === state);

function introductionOf({ pipeline, program, data }: SurveyRecord, asked: number): Html {
  const { selected, sampled, manufacturers, series, unread } = data;
  const of = `${amount(manufacturers, 'manufacturer')} and ${integer(series)} series`;
  const missing =
    unread.length === 0
      ? undefined
      : html`<details><summary>${amount(unread.length, 'article')} could not be read</summary><ul>${unread.map(({ article, code, message }) => html`<li>${cut(article)}: ${code}, ${cutText(message, TEXT_LIMITS.message)}</li>`)}</ul></details>`;
  const what =
    asked > 0
      ? html`Here are articles of <b>${cut(pipeline)}</b>, drawn in each of these meanings: choose the pictures that show your furniture as it is. All other meanings are decided, or do not matter.`
      : html`For <b>${cut(pipeline)}</b>, the data itself decides which meaning is right: nothing is asked.`;
  return html`<p>Some values in the data of a service can have several meanings. ${what}</p><p class="quiet">${integer(sampled)} of ${amount(selected, 'configuration')}, of ${of}; btg2gltf ${program}</p>${missing}`;
}

const cut = (text: string) => cutText(text, TEXT_LIMITS.name);

/** Hidden where nothing is asked. */
function barOf(count: number): Html {
  const steps =
    count > 1
      ? html`<button type="button" id="previous">←<span class="word"> Previous</span></button><button type="button" id="next"><span class="word">Next </span>→</button>`
      : html`<button type="button" id="previous" hidden>← Previous</button><button type="button" id="next">Go to the question</button>`;
  return html`<nav class="answered-bar" aria-label="Questions"${count > 0 ? html` data-script` : undefined} hidden><b id="answered" role="status"></b>${steps}<a href="#result" id="finish">Result</a></nav>`;
}

/** The questions in the order of the page: those with pictures first. */
function askedOf(record: SurveyRecord, { questions }: SurveyPictures): OptionRecord[] {
  const asked = withState(record, 'question');
  const hasPictures = ({ option }: OptionRecord) => (questions.get(option) ?? []).length > 0;
  return [...asked.filter(hasPictures), ...asked.filter((one) => !hasPictures(one))];
}

/** The articles of a question: first the one with the most pictures, and of these the one where they differ most. */
function articlesOf({ option }: OptionRecord, { questions }: SurveyPictures): ArticlePictures[] {
  return (questions.get(option) ?? []).toSorted(
    (a, b) => b.readings.length - a.readings.length || b.differentShare - a.differentShare,
  );
}

/** An answer: values that look the same in all pictures. The first one stands for them. */
type Answer = readonly ReadingValue[];

/** Values are one answer if they are together in all pictures. */
function answersOf(
  { present, alternatives }: OptionRecord,
  articles: readonly ArticlePictures[],
): Answer[] {
  const values = [present, ...alternatives.map(({ value }) => value)];
  if (articles.length === 0) return values.map((value) => [value]);
  const signature = (value: ReadingValue) =>
    articles.map(({ readings }) => readings.findIndex((one) => one.values.includes(value))).join();
  const signatures = [...new Set(values.map(signature))];
  return signatures.map((one) => values.filter((value) => signature(value) === one));
}

function questionOf(
  option: OptionRecord,
  number: number,
  { data }: SurveyRecord,
  pictures: SurveyPictures,
): Html {
  const articles = articlesOf(option, pictures);
  const { question, look } = questionText(option.option);
  const answers = answersOf(option, articles);
  const isUnseen = articles.length === 0 && pictures.missing === undefined;
  const id = `question-${number}`;
  const [first, ...others] = articles;
  const items = answers.map((values, at) =>
    answerOf(option.option, values, at, first, `${number}-1`),
  );
  const own = first?.own && ownPicture(first.own, first.article, `${number}-1`);
  const more = others.map((article, at) => {
    const shown = answers.map(
      (values, letter) =>
        html`<li class="answer"><h4>Picture ${letterOf(letter)}</h4>${picturesOf(article, values, letter, `${number}-${at + 2}`)}</li>`,
    );
    return html`<h3 class="article">${cut(article.article)}</h3><ul class="answers ${columnsOf(answers.length, article)}">${article.own && ownPicture(article.own, article.article, `${number}-${at + 2}`)}${shown}</ul>`;
  });
  return html`<section class="sheet question" id="${id}" data-question="${option.option}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading" tabindex="-1"><span class="number-of">Question ${number}</span> ${question}</h2>
<p>${isUnseen ? 'In the pictures of this sample, the answers look the same. Answer only if you know the data.' : look}</p>
${first === undefined ? undefined : html`<h3 class="article">${cut(first.article)}</h3>${number === 1 ? html`<p class="quiet hint" data-script hidden>Press a picture to see it large. There, ‹ and › show the others in its place.</p>` : undefined}`}
<ul class="answers ${columnsOf(answers.length, first)}">${own}${items}</ul>
<p class="unsure" data-script hidden><button type="button" data-answer="null" aria-pressed="false">I am not sure</button> <span class="quiet">Then nothing is changed; now it is: ${meaningOf(option.option, option.present).replace(/\.$/, '')}.</span></p>
${more.length > 0 ? html`<details class="further"><summary>The same with ${amount(others.length, 'more article')}</summary>${more}</details>` : undefined}
<p class="quiet effect">${effectOf(option, data.sampled)} Option <code>${option.option}</code>.</p>
</section>
`;
}

const letterOf = (at: number) => String.fromCharCode(65 + at);

function columnsOf(answers: number, article: ArticlePictures | undefined): 'two' | 'three' {
  const count = answers + Number(article?.own !== undefined);
  return count === 2 || count === 4 ? 'two' : 'three';
}

function answerOf(
  option: ReadingOption,
  values: Answer,
  at: number,
  article: ArticlePictures | undefined,
  group: string,
): Html {
  const [value] = values;
  const words = values.map((one) => meaningOf(option, one));
  const same =
    words.length > 1
      ? html`<p class="quiet">Looks the same: ${words.slice(1).join(' ')}</p>`
      : undefined;
  const letter = letterOf(at);
  const twin = article?.readings.find((one) => one.values.includes(value!))?.values[0];
  const alike =
    twin === undefined || values.includes(twin)
      ? undefined
      : html`<p class="quiet">In this article it looks like another picture: see the other articles below.</p>`;
  const shown = article && picturesOf(article, values, at, group);
  return html`<li class="answer">${shown}<h3>${article ? `Picture ${letter}` : `Answer ${letter}`}</h3><p>${words[0]}</p>${same}${alike}<button type="button" class="right" data-script hidden data-answer="${JSON.stringify(value)}" aria-pressed="false" aria-label="${`This is right: ${article ? 'picture' : 'answer'} ${letter}`}">This is right</button></li>`;
}

/** The marked place of an article in one answer, and the whole article with the mark. */
function picturesOf(
  { article, mark, readings }: ArticlePictures,
  values: Answer,
  at: number,
  group: string,
): Html | undefined {
  const reading = readings.find((one) => one.values.includes(values[0]!));
  if (reading === undefined) return undefined;
  const name = `Picture ${letterOf(at)}`;
  const frame = [mark.x * 400, mark.y * 300, mark.width * 400, mark.height * 300].map(Math.round);
  const [x, y, width, height] = frame;
  const button = (kind: string, image: ShownImage, alt: string, over?: Html) =>
    html`<button type="button" class="picture ${kind}" data-article="${group}" data-kind="${kind}" disabled><img src="${addressOf(image)}" width="640" height="480" alt="${alt}">${over}</button>`;
  const over = html`<svg viewBox="0 0 400 300" aria-hidden="true"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/></svg>`;
  return html`<div class="pictures">${button('detail', reading.detail, `${name}: the marked place of ${cut(article)}`)}${button('whole', reading.whole, `${name}: ${cut(article)}`, over)}</div>`;
}

/** It is enlarged together with the pictures of the whole article. */
function ownPicture(image: ShownImage, article: string, group: string): Html {
  return html`<li class="own"><button type="button" class="picture" data-article="${group}" data-kind="whole" disabled><img src="${addressOf(image)}" alt="${`The service's own picture of ${cut(article)}`}"></button><h3>The service's own picture</h3><p>If it shows enough: which picture is like this one?</p></li>`;
}

function addressOf({ mimeType, bytes }: ShownImage): string {
  const { buffer, byteOffset, length } = bytes;
  return `data:${mimeType};base64,${Buffer.from(buffer, byteOffset, length).toString('base64')}`;
}

function effectOf({ articles, alternatives }: OptionRecord, sampled: number): string {
  const most = (of: (effect: Effect) => number) => Math.max(0, ...alternatives.map(of));
  const area = percentage(
    most(({ areaShare }) => areaShare),
    1,
  );
  const moved = most(({ movedMillimetres }) => movedMillimetres ?? 0);
  const far = moved >= 1 ? `, and moves points by up to ${integer(moved)} mm` : '';
  return `It matters in ${integer(articles)} of ${amount(sampled, 'article')}, for up to ${area} of the surface of an article${far}.`;
}

/** A table that scrolls by itself where the page is narrow. */
function table(label: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide" role="region" aria-label="${`${label}, table`}" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function section(id: string, heading: string, content: Html): Html {
  return html`<section class="sheet" id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>${content}</section>
`;
}

const CERTAINTIES = { high: 'certain', medium: 'likely' } as const;

function reasonsOf({ state, value, evidence }: OptionRecord): string[] {
  if (state === 'chosen') return ['You have answered this.'];
  const own = evidence.filter((one) => one.value === value);
  const shown = own.length > 0 ? own : evidence;
  return shown.map(({ indication, figure, articles }) => {
    return `${capital(indicationText(indication))}: ${figure} (${amount(articles, 'article')}).`;
  });
}

function decidedOf(record: SurveyRecord): Html | undefined {
  const decided = [...withState(record, 'chosen'), ...withState(record, 'decided')];
  if (decided.length === 0) return undefined;
  const rows = decided.map((one) => {
    const { option, value, present, certainty, state } = one;
    const changed = value === present ? 'as it was' : `was ${present}`;
    const sure = state === 'chosen' ? 'your answer' : CERTAINTIES[certainty ?? 'medium'];
    return html`<tr><th scope="row">${capital(READINGS[option].about)}<br><code>${option}</code></th><td>${meaningOf(option, value)}<br><code>${String(value)}</code> <span class="${value === present ? 'quiet' : 'changed'}">${changed}</span></td><td><ul>${reasonsOf(one).map((reason) => html`<li>${reason}</li>`)}</ul></td><td>${sure}</td></tr>`;
  });
  return section(
    'decided',
    'Decided',
    html`<details><summary>${amount(decided.length, 'meaning')}, and why</summary>${table('Decided', ['About', 'What is right', 'Why', 'How sure'], rows)}</details>`,
  );
}

function findingsOf({ findings }: SurveyRecord): Html | undefined {
  if (findings.length === 0) return undefined;
  const items = findings.map(
    ({ about, sentence, certainty, articles }) =>
      html`<li><b>${capital(about)}</b> ${cutText(sentence, TEXT_LIMITS.message)} <span class="quiet">${amount(articles, 'article')}, ${CERTAINTIES[certainty]}</span></li>`,
  );
  return section(
    'findings',
    'Findings',
    html`<p>What no option can put right: ask the service or the manufacturer.</p><ul class="lines">${items}</ul>`,
  );
}

function unimportantOf(record: SurveyRecord): Html | undefined {
  const options = withState(record, 'no-effect');
  if (options.length === 0) return undefined;
  const items = options.map(
    ({ option }) => html`<li>${capital(READINGS[option].about)} <code>${option}</code></li>`,
  );
  return section(
    'unimportant',
    'Does not matter here',
    html`<p>Another meaning would change nothing in this data, or nothing that can be seen.</p><details><summary>${amount(options.length, 'meaning')}</summary><ul class="lines">${items}</ul></details>`,
  );
}

function featuresOf({ features, data }: SurveyRecord): Html | undefined {
  if (features.length === 0) return undefined;
  const rows = features.map(({ group, name, count, articles }, at) => {
    const isFirst = features[at - 1]?.group !== group;
    const heading = FEATURE_GROUPS[group as FeatureGroup] ?? group;
    return html`${isFirst ? html`<tr class="group"><th scope="colgroup" colspan="3">${heading}</th></tr>` : undefined}<tr><td>${cut(name)}</td><td class="number">${integer(count)}</td><td class="number">${integer(articles)}</td></tr>`;
  });
  const wide = table('Features', ['Feature', 'Count', `Of ${data.sampled} articles`], rows);
  return section(
    'features',
    'What the data has',
    html`<details><summary>${amount(features.length, 'feature')}</summary>${wide}</details>`,
  );
}

function anonymousOf(lines: readonly string[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return section(
    'anonymous',
    'What the anonymous form contains',
    html`<p><code>survey --anonymous FILE</code> writes what you can attach to an issue, so that the defaults become better. It has:</p><ul class="lines">${lines.map((line) => html`<li>${line}</li>`)}</ul>`,
  );
}

/** The lines that differ from the pipeline file, and what was chosen before. */
function decidedLines(record: SurveyRecord): DecidedLine[] {
  const chosen = withState(record, 'chosen').map(({ option, value }) => {
    return { option, value, why: 'your answer' };
  });
  const changed = withState(record, 'decided').filter(({ value, present }) => value !== present);
  const decided = changed.map(({ option, value, evidence }) => {
    const first = evidence.find((one) => one.value === value) ?? evidence[0];
    return {
      option,
      value,
      why: first ? `decided: ${indicationText(first.indication)}` : 'decided',
    };
  });
  return [...chosen, ...decided];
}

function resultOf({ decided, questions }: AnswerData): Html {
  const isAsked = questions.length > 0;
  const command = `btg2gltf survey PIPELINE.yaml --apply${isAsked ? ' choices.json' : ''}`;
  const how = isAsked
    ? html`Save <code>choices.json</code>, and send it to the person who runs btg2gltf. This command writes the answers into the pipeline file, where everything else stays as it is:`
    : html`This command writes what is decided into the pipeline file, where everything else stays as it is:`;
  return section(
    'result',
    'Result',
    html`<p>${how}</p>
<pre tabindex="0" role="region" aria-label="Command">${command}</pre>
<p class="actions" data-script hidden><button type="button" id="save"${isAsked ? undefined : html` hidden`}>Save choices.json</button><span class="quiet" role="status" id="saved"></span></p>
<p>It writes these lines. You can also add them by hand:</p>
<pre id="section" tabindex="0" role="region" aria-label="Lines of the pipeline file">${convertSection(decided, {})}</pre>
<p class="actions" data-script hidden><button type="button" id="copy">Copy</button><span class="quiet" role="status" id="copied"></span></p>`,
  );
}
