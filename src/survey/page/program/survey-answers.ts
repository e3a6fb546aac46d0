/** The program of the page of a survey: answers, what follows from them, and pictures in place of each other. */
import { byId } from '../../../deliver/pictures/page/elements.ts';
import { type AnswerData, type Answers, choicesFile, convertSection } from '../answers.ts';

const data = JSON.parse(byId('answer-data').textContent) as AnswerData;
const questions = [...document.querySelectorAll<HTMLElement>('[data-question]')];
const buttons = [...document.querySelectorAll<HTMLButtonElement>('button[data-answer]')];
let answers: Answers = kept();

/** The answers that this browser has kept; a browser may keep nothing. */
function kept(): Answers {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(data.key) ?? '{}');
    const known = Object.entries(read as Answers).filter(([option]) =>
      data.questions.includes(option),
    );
    return Object.fromEntries(known);
  } catch {
    return {};
  }
}

function keep(): void {
  try {
    localStorage.setItem(data.key, JSON.stringify(answers));
  } catch {
    // They last until the page is closed.
  }
}

const optionOf = (button: HTMLButtonElement) =>
  button.closest<HTMLElement>('[data-question]')!.dataset.question!;
const answerOf = (button: HTMLButtonElement) =>
  JSON.parse(button.dataset.answer!) as Answers[string];

function show(): void {
  for (const button of buttons) {
    const option = optionOf(button);
    const isChosen = option in answers && answers[option] === answerOf(button);
    button.ariaPressed = String(isChosen);
    button.closest('.answer')?.classList.toggle('chosen', isChosen);
  }
  for (const question of questions)
    question.classList.toggle('answered', question.dataset.question! in answers);
  const ordered = data.questions.filter((option) => option in answers);
  const inOrder = Object.fromEntries(ordered.map((option) => [option, answers[option]!]));
  byId('answered').textContent = `${ordered.length} of ${data.questions.length} answered`;
  const isDone = ordered.length === data.questions.length;
  byId('finish').textContent = isDone ? 'Save your answers' : 'Result';
  byId('section').textContent = convertSection(data.decided, inOrder);
  byId<HTMLButtonElement>('save').disabled = ordered.length === 0;
  byId('saved').textContent = '';
  byId('copied').textContent = '';
}

function answer(button: HTMLButtonElement): void {
  const option = optionOf(button);
  const value = answerOf(button);
  const { [option]: before, ...others } = answers;
  // A second click takes the answer back.
  answers = before === value && option in answers ? others : { ...answers, [option]: value };
  keep();
  show();
}

/** Moves to the question before or after the one that is read. */
function step(by: 1 | -1): void {
  const inView = questions.findIndex((question) => question.contains(document.activeElement));
  const passed = questions.filter(
    (question) => question.getBoundingClientRect().top < innerHeight / 3,
  );
  const at = inView >= 0 ? inView : passed.length - 1;
  const next = questions[Math.min(questions.length - 1, Math.max(0, at + by))];
  next?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'start' });
}

/** The pictures of an article in place of each other, in a dialog. */
const large = byId<HTMLDialogElement>('large');
let shown: { pictures: readonly HTMLImageElement[]; at: number } | undefined;

function enlarge(button: HTMLButtonElement): void {
  const { article, kind } = button.dataset;
  const pictures = [
    ...document.querySelectorAll<HTMLImageElement>(
      `button[data-article="${article}"][data-kind="${kind}"] img`,
    ),
  ];
  shown = { pictures, at: pictures.indexOf(button.querySelector('img')!) };
  flip(0);
  large.showModal();
}

function flip(by: number): void {
  if (shown === undefined) return;
  const { pictures } = shown;
  shown.at = (shown.at + by + pictures.length) % pictures.length;
  const picture = pictures[shown.at]!;
  const image = byId<HTMLImageElement>('large-picture');
  Object.assign(image, { src: picture.src, alt: picture.alt });
  byId('large-name').textContent = picture.alt;
}

async function copy(): Promise<void> {
  const text = byId('section').textContent;
  try {
    await navigator.clipboard.writeText(text);
    byId('copied').textContent = 'Copied.';
  } catch {
    getSelection()?.selectAllChildren(byId('section'));
    byId('copied').textContent = 'The text is selected: copy it with Ctrl-C.';
  }
}

function save(): void {
  const address = URL.createObjectURL(
    new Blob([choicesFile(answers)], { type: 'application/json' }),
  );
  const link = Object.assign(document.createElement('a'), {
    href: address,
    download: 'choices.json',
  });
  link.click();
  URL.revokeObjectURL(address);
  byId('saved').textContent = 'Saved.';
}

for (const button of buttons) button.addEventListener('click', () => answer(button));
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-article]')) {
  button.disabled = false;
  button.addEventListener('click', () => enlarge(button));
}
byId('previous').addEventListener('click', () => step(-1));
byId('next').addEventListener('click', () => step(1));
byId('copy').addEventListener('click', copy);
byId('save').addEventListener('click', save);
byId('large-before').addEventListener('click', () => flip(-1));
byId('large-after').addEventListener('click', () => flip(1));
byId('large-close').addEventListener('click', () => large.close());
document.addEventListener('keydown', ({ key, altKey, ctrlKey, metaKey, target }) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key] as 1 | -1 | undefined;
  // A table that scrolls uses the arrows itself.
  const isTaken = altKey || ctrlKey || metaKey || (target as Element).closest('[role="region"]');
  if (by === undefined || isTaken) return;
  if (large.open) flip(by);
  else step(by);
});
for (const element of document.querySelectorAll<HTMLElement>('[data-script]'))
  element.hidden = false;
show();
