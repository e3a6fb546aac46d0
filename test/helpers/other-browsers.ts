/** Firefox and WebKit of Debian, driven by the protocols that they have themselves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { describe } from 'vitest';
import { listening } from './listening.ts';
import { IS_LONG } from './samples.ts';
import { temporaryFolder } from './temporary.ts';
import { GIVE_UP_MS, until } from './until.ts';

/** A browser with one page. */
export interface OtherBrowser {
  open(address: string): Promise<void>;
  /** The value of an expression, also of a promise, in the page or in its first frame. */
  evaluate<T>(expression: string, place?: 'page' | 'frame'): Promise<T>;
  /** The least width of a window of WebKit is 447. */
  resize(widthPixels: number, heightPixels: number): Promise<void>;
  /** Presses a key as a keyboard does: a character, or a name of {@link KEYS}, such as in `Shift+Tab`. */
  press(key: string): Promise<void>;
  /** Touches the middle of the first element that a selector finds, where the window shows it. */
  touch(selector: string): Promise<void>;
  /** Errors that the console of the browser has printed since it was started. */
  trouble(): readonly string[];
  end(): Promise<void>;
}

/** Characters of keys that have none (WebDriver, keyboard actions). */
const KEYS: Readonly<Record<string, string>> = {
  ...{ Shift: '\uE008', Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C', Space: ' ' },
  ...{ ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015' },
};

const FIREFOX = '/usr/bin/firefox-esr';
const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver';
/** A browser with a window; Firefox has no graphics without one. */
const DISPLAY = '/usr/bin/Xvfb';

/** No page has so many controls before the one that is looked for. */
const MOST_TABS = 80;

type Start = () => Promise<OtherBrowser>;
const OTHER_BROWSERS: readonly (readonly [name: string, program: string, start: Start])[] = [
  ['Firefox', FIREFOX, () => startFirefox()],
  ['WebKit', WEBKIT_DRIVER, startWebKit],
];

/**
 * Describes what is tested in each of the other browsers, in the long form. Tests of a browser that is not installed are
 * skipped: `apt-get install firefox-esr webkit2gtk-driver xvfb`.
 */
export function describeInOtherBrowsers(subject: string, tests: (start: Start) => void): void {
  for (const [name, program, start] of OTHER_BROWSERS)
    describe.runIf(IS_LONG && existsSync(program) && existsSync(DISPLAY))(
      `${subject} in ${name}`,
      () => tests(start),
    );
}

/** Whether Firefox is installed. */
export const HAS_FIREFOX = existsSync(FIREFOX);

/**
 * Starts Firefox, driven by WebDriver BiDi (W3C Working Draft).
 *
 * @param preferences - Of `about:config`.
 */
export async function startFirefox(
  preferences: Readonly<Record<string, boolean>> = {},
): Promise<OtherBrowser> {
  const folder = await temporaryFolder();
  const lines = Object.entries(preferences).map(
    ([name, value]) => `user_pref("${name}", ${value});`,
  );
  await writeFile(join(folder, 'user.js'), lines.join('\n'));
  const display = existsSync(DISPLAY) ? await startDisplay() : undefined;
  const words = ['--no-remote', '--profile', folder, '--remote-debugging-port', '0'];
  const program = display
    ? startProgram(FIREFOX, words, { HOME: folder, ...display.env })
    : startProgram(FIREFOX, ['--headless', ...words], { HOME: folder });
  const [, address] = await program.printed(/BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (answer: { result?: unknown; message?: string }) => void>();
  const trouble: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data));
    waiting.get(answer.id)?.(answer);
    const { method, params } = answer;
    if (method === 'log.entryAdded' && params.level === 'error') trouble.push(params.text);
  });
  let count = 0;
  const ask = async (method: string, params: object) => {
    const id = ++count;
    const answered = new Promise<{ result?: unknown; message?: string }>((resolve) => {
      waiting.set(id, resolve);
    });
    socket.send(JSON.stringify({ id, method, params }));
    const { result, message } = await answered;
    if (result === undefined) throw new Error(`${method}: ${message}`);
    return result;
  };
  interface Tree {
    contexts: { context: string; children: { context: string }[] }[];
  }
  const contexts = async () => (await ask('browsingContext.getTree', {})) as Tree;
  await ask('session.new', { capabilities: {} });
  // The first tab never gets the focus, which is in the address bar: keys would press no buttons.
  const [first] = (await contexts()).contexts;
  await ask('browsingContext.create', { type: 'tab' });
  await ask('browsingContext.close', { context: first!.context });
  await ask('session.subscribe', { events: ['log.entryAdded'] });
  const evaluate: OtherBrowser['evaluate'] = async (expression, place = 'page') => {
    const [page] = (await contexts()).contexts;
    const { context } = place === 'page' ? page! : page!.children[0]!;
    const { result, exceptionDetails } = (await ask('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify({ value }))`,
      target: { context },
      awaitPromise: true,
    })) as { result?: { value: string }; exceptionDetails?: { text: string } };
    if (result === undefined) throw new Error(exceptionDetails?.text);
    return JSON.parse(result.value).value;
  };
  const perform = async (actions: object[]) => {
    const { context } = (await contexts()).contexts[0]!;
    await ask('input.performActions', { context, actions });
  };
  return {
    trouble: () => trouble,
    evaluate,
    press: (key) => perform(keyActions(key)),
    touch: async (selector) => perform(touchActions(await evaluate(middleOf(selector)))),
    async resize(width, height) {
      const { context } = (await contexts()).contexts[0]!;
      await ask('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    async open(url) {
      const { context } = (await contexts()).contexts[0]!;
      await ask('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async end() {
      socket.close();
      await program.end();
      await display?.end();
    },
  };
}

/** Starts WebKit, driven by WebDriver (W3C Recommendation, 2018). */
async function startWebKit(): Promise<OtherBrowser> {
  const folder = await temporaryFolder();
  const display = await startDisplay();
  // The driver does not say which port it has taken.
  const { port, close } = await listening(createServer());
  await close();
  const env = {
    ...{ HOME: folder, XDG_RUNTIME_DIR: folder, ...display.env },
    // Its sandbox needs a system with D-Bus.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  };
  const driver = startProgram(WEBKIT_DRIVER, [`--port=${port}`], env);
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: { message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.message}`);
    return value as unknown;
  };
  await until(() => ask('GET', '/status'));
  const args = ['--automation', '--enable-write-console-messages-to-stdout=true'];
  const alwaysMatch = { 'webkitgtk:browserOptions': { args } };
  const { sessionId } = (await ask('POST', '/session', { capabilities: { alwaysMatch } })) as {
    sessionId: string;
  };
  const session = `/session/${sessionId}`;
  await ask('POST', `${session}/timeouts`, { script: GIVE_UP_MS, pageLoad: GIVE_UP_MS });
  const evaluate = async <T>(expression: string, place: 'page' | 'frame' = 'page'): Promise<T> => {
    if (place === 'frame') await ask('POST', `${session}/frame`, { id: 0 });
    const script = `
      const done = arguments[0];
      Promise.resolve(${expression}).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = (await ask('POST', `${session}/execute/async`, {
      script,
      args: [],
    }).finally(() => ask('POST', `${session}/frame`, { id: null }))) as {
      value: T;
      error?: string;
    };
    if (error !== undefined) throw new Error(error);
    return value;
  };
  const perform = (actions: object[]) => ask('POST', `${session}/actions`, { actions });
  return {
    evaluate,
    async press(key) {
      await perform(keyActions(key));
    },
    async touch(selector) {
      await perform(touchActions(await evaluate(middleOf(selector))));
    },
    trouble: () => driver.text().match(/^CONSOLE .*ERROR.*$/gm) ?? [],
    async resize(width, height) {
      await ask('POST', `${session}/window/rect`, { x: 0, y: 0, width, height });
    },
    async open(url) {
      await ask('POST', `${session}/url`, { url });
    },
    async end() {
      await ask('DELETE', session);
      await driver.end();
      await display.end();
    },
  };
}

/**
 * Presses a key until the focus is on an element that a selector finds. From the end of a page, Tab leads into the window
 * of Firefox, and keys press nothing there: what is before the focus is reached by `Shift+Tab`.
 */
export async function tabTo(
  browser: OtherBrowser,
  selector: string,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
  for (let count = 0; count < MOST_TABS; count++) {
    if (await browser.evaluate(isThere)) return;
    await browser.press(key);
  }
  throw new Error(`the focus did not arrive at ${selector}`);
}

/** Keys go down, and up in the opposite order (WebDriver and WebDriver BiDi have the same form). */
function keyActions(key: string): object[] {
  const values = key.split(/(?<=\w)\+/).map((name) => KEYS[name] ?? name);
  return [
    {
      ...{ type: 'key', id: 'keyboard' },
      actions: [
        ...values.map((value) => ({ type: 'keyDown', value })),
        ...values.reverse().map((value) => ({ type: 'keyUp', value })),
      ],
    },
  ];
}

/** A finger touches a place of the window. */
function touchActions({ x, y }: { x: number; y: number }): object[] {
  return [
    {
      ...{ type: 'pointer', id: 'finger', parameters: { pointerType: 'touch' } },
      actions: [
        { type: 'pointerMove', x, y, duration: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
    },
  ];
}

/** The middle of an element, after the page has scrolled to it. */
function middleOf(selector: string): string {
  return `(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
  })()`;
}

/** A display that nobody sees, as large as the largest window. */
async function startDisplay() {
  const program = startProgram(DISPLAY, ['-displayfd', '1', '-screen', '0', '2560x1440x24'], {});
  const [, number] = await program.printed(/^(\d+)\n/m);
  return { env: { DISPLAY: `:${number}`, LIBGL_ALWAYS_SOFTWARE: '1' }, end: program.end };
}

/** Starts a program that prints where it can be reached. */
function startProgram(path: string, words: string[], env: Readonly<Record<string, string>>) {
  const child: ChildProcess = spawn(path, words, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (part) => {
      text += part;
    });
  return {
    text: () => text,
    printed: (pattern: RegExp): Promise<RegExpExecArray> =>
      until(() => {
        const found = pattern.exec(text);
        if (found === null) throw new Error(`${path}: expected ${pattern}, received ${text}`);
        return found;
      }),
    async end(): Promise<void> {
      const ended = once(child, 'exit');
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
    },
  };
}
