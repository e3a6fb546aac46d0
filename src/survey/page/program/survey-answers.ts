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

const isAnswered = (option: string) => option in answers;
const isChosen = (button: HTMLButtonElement) =>
  isAnswered(optionOf(button)) && answers[optionOf(button)] === answerOf(button);

function show(): void {
  for (const button of buttons) {
    button.ariaPressed = String(isChosen(button));
    button.closest('.answer')?.classList.toggle('chosen', isChosen(button));
  }
  for (const question of questions)
    question.classList.toggle('answered', isAnswered(question.dataset.question!));
  const ordered = data.questions.filter(isAnswered);
  const inOrder = Object.fromEntries(ordered.map((option) => [option, answers[option]!]));
  byId('answered').textContent = `${ordered.length} of ${data.questions.length} answered`;
  byId('section').textContent = convertSection(data.decided, inOrder);
  byId('copied').textContent = '';
  if (questions.length === 0) return;
  byId('finish').classList.toggle('main', ordered.length === data.questions.length);
  for (const item of document.querySelectorAll<HTMLElement>('[data-of]')) {
    const chosen = buttons.find((one) => optionOf(one) === item.dataset.of && isChosen(one));
    item.querySelector('b')!.textContent = chosen?.dataset.name ?? 'no answer yet';
  }
  byId<HTMLButtonElement>('save').disabled = ordered.length === 0;
  byId('saved').textContent = '';
}

function answer(button: HTMLButtonElement): void {
  answers = { ...answers, [optionOf(button)]: answerOf(button) };
  keep();
  show();
}

/** Moves to the question before or after the one that is read; behind the last one, to one that has no answer. */
function step(by: 1 | -1): void {
  const inView = questions.findIndex((question) => question.contains(document.activeElement));
  const passed = questions.filter(
    (question) => question.getBoundingClientRect().top < innerHeight / 3,
  );
  const at = (inView >= 0 ? inView : passed.length - 1) + by;
  const open = questions.find((question) => !isAnswered(question.dataset.question!));
  goTo(at < questions.length ? questions[Math.max(0, at)]! : (open ?? byId('answers')));
}

function goTo(section: HTMLElement): void {
  section.querySelector<HTMLElement>('h2')!.focus({ preventScroll: true });
  section.scrollIntoView({ block: 'start' });
}

/** The pictures of an article in place of each other, in a dialog. */
const large = byId<HTMLDialogElement>('large');
let shown: { pictures: readonly HTMLButtonElement[]; at: number } | undefined;

function enlarge(button: HTMLButtonElement): void {
  const { article, kind = '' } = button.dataset;
  const pictures = [
    ...document.querySelectorAll<HTMLButtonElement>(`button[data-article="${article}"]`),
  ];
  const own = pictures.filter((one) => one.dataset.kind === 'own');
  const others = pictures.filter((one) => one.dataset.kind === (kind === 'own' ? 'whole' : kind));
  shown = { pictures: [...own, ...others], at: [...own, ...others].indexOf(button) };
  flip(0);
  large.showModal();
}

function flip(by: number): void {
  if (shown === undefined) return;
  const { pictures } = shown;
  shown.at = (shown.at + by + pictures.length) % pictures.length;
  const button = pictures[shown.at]!;
  const picture = button.querySelector('img')!;
  const image = byId<HTMLImageElement>('large-picture');
  Object.assign(image, { src: picture.src, alt: picture.alt });
  byId('large-name').textContent = `${picture.alt} (${shown.at + 1} of ${pictures.length})`;
  byId('large-right').hidden = button.dataset.choice === undefined;
}

/** The picture that is large is the right one. */
function chooseShown(): void {
  const picture = shown?.pictures[shown.at];
  const question = picture?.closest('[data-question]');
  const chosen = buttons.find(
    (one) => question?.contains(one) && one.dataset.answer === picture?.dataset.choice,
  );
  if (chosen === undefined) return;
  large.close();
  answer(chosen);
  chosen.focus();
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
  byId('saved').textContent =
    'Saved as choices.json in your downloads. Send this file to the person who runs btg2gltf: then you are done.';
}

for (const button of buttons) button.addEventListener('click', () => answer(button));
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-article]')) {
  button.disabled = false;
  button.addEventListener('click', () => enlarge(button));
}
byId('copy').addEventListener('click', copy);
if (questions.length > 0) {
  byId('previous').addEventListener('click', () => step(-1));
  byId('next').addEventListener('click', () => step(1));
  byId('save').addEventListener('click', save);
}
byId('large-before').addEventListener('click', () => flip(-1));
byId('large-after').addEventListener('click', () => flip(1));
byId('large-right').addEventListener('click', chooseShown);
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
