/**
 * The files of `pipelines/deploy`: each can be parsed, and names only commands, options and variables that exist.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { assetsCommand } from '../../src/cli/assets.ts';
import type { OptionSpec } from '../../src/cli/command.ts';
import { optionsOf } from '../../src/cli/pipeline-options.ts';
import { workerCommand } from '../../src/cli/worker.ts';
import { ENVIRONMENT } from '../../src/run/file/environment.ts';
import type { Wire } from '../helpers/sample-range.ts';

const FOLDER = new URL('../../pipelines/deploy/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, FOLDER), 'utf8');
const FILES = readdirSync(FOLDER);

/** What a command takes. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, OptionSpec>>>> = {
  run: optionsOf('run'),
  worker: workerCommand.options!,
  assets: assetsCommand.options!,
};
/** The standard variables of AWS that the store reads. */
const STORE_VARIABLES = new Set(
  readFileSync(new URL('../../src/distribute/store/open-store.ts', import.meta.url), 'utf8').match(
    /\bAWS_[A-Z0-9_]+/g,
  ),
);
/** Of the image itself. */
const IMAGE_VARIABLES = new Set(['NODE', 'BROWSER', 'NODE_ENV', 'HOME']);

function documents(path: string): Wire[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    return document.toJS();
  });
}

/** The specification of the pods in a manifest, wherever it is. */
function podIn({ spec }: Wire): Wire {
  return 'containers' in spec ? spec : podIn(spec.jobTemplate ?? spec.template);
}

/** What is wrong with the words of a call, after the name of the program. */
function faultsOf(words: readonly string[]): string[] {
  const [name = '', file, ...rest] = words;
  const options = OPTIONS[name];
  if (options === undefined) return [`${name}: no such command`];
  const faults = /\.yaml$/.test(file ?? '') ? [] : [`${name}: expected a pipeline file`];
  for (let index = 0; index < rest.length; index++) {
    const [, option = '', inline] = /^--([^=]+)(?:=(.+))?$/.exec(rest[index]!) ?? [];
    const spec = options[option];
    if (spec === undefined) faults.push(`${name}: no option ${rest[index]}`);
    const value = inline ?? (spec?.type === 'boolean' ? undefined : rest[++index]);
    const isChoice = spec?.choices === undefined || spec.choices.includes(value ?? '');
    if (!isChoice) faults.push(`${name}: --${option} ${value}`);
  }
  return faults;
}

const isVariable = (name: string) => name in ENVIRONMENT || STORE_VARIABLES.has(name);

const KUBERNETES = ['kubernetes-bullmq.yaml', 'kubernetes-assets.yaml'];
const MANIFESTS = KUBERNETES.flatMap((file) =>
  documents(file).map((manifest) => ({ file, kind: String(manifest.kind), manifest })),
);
const PODS = MANIFESTS.filter(({ kind }) => !['Service', 'Ingress'].includes(kind)).map(
  ({ kind, file, manifest }) => [kind, file, podIn(manifest)] as const,
);

describe('the manifests for Kubernetes', () => {
  test('are workers and a coordinator, and servers of assets behind an Ingress', () => {
    expect(MANIFESTS.map(({ kind }) => kind)).toEqual([
      ...['Deployment', 'CronJob', 'Deployment', 'Service', 'Ingress'],
    ]);
  });

  test('pass on what is for shops, and nothing for operators', () => {
    const { manifest } = MANIFESTS.find(({ kind }) => kind === 'Ingress')!;
    const paths = manifest.spec.rules.flatMap(({ http }: Wire) => http.paths);
    expect(paths.map(({ path }: Wire) => path)).toEqual([
      '/a/',
      '/ar/',
      '/viewer/',
      '/objects/',
      '/jobs',
    ]);
  });

  test.each(PODS)('%s of %s calls the program with options that exist', (_, __, pod) => {
    expect(pod.containers.flatMap(({ args }: Wire) => faultsOf(args))).toEqual([]);
  });

  test.each(PODS)('%s of %s sets variables that exist, secrets by reference', (_, __, pod) => {
    for (const { name, value, valueFrom } of pod.containers.flatMap(({ env }: Wire) => env)) {
      expect(isVariable(name), name).toBe(true);
      const isSecret =
        name in ENVIRONMENT
          ? ENVIRONMENT[name as keyof typeof ENVIRONMENT].secret
          : /KEY|TOKEN/.test(name);
      if (isSecret) expect([name, value]).toEqual([name, undefined]);
      expect(value === undefined ? valueFrom?.secretKeyRef.name : 'btg2gltf').toBe('btg2gltf');
    }
  });

  test.each(PODS)('%s of %s needs no root, and writes to its volumes only', (_, __, pod) => {
    expect(pod.terminationGracePeriodSeconds).toBe(30);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    const volumes = new Map<string, Wire>(pod.volumes.map((one: Wire) => [one.name, one]));
    for (const { securityContext, volumeMounts, args } of pod.containers) {
      expect(securityContext).toMatchObject({
        ...{ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
        capabilities: { drop: ['ALL'] },
      });
      const mounts: Wire[] = volumeMounts;
      const writable = mounts.filter(({ name }) => volumes.get(name)?.emptyDir !== undefined);
      const folders = args.flatMap(
        (word: string) => /^--(?:output|cache)=(.+)$/.exec(word)?.[1] ?? [],
      );
      expect(folders).toHaveLength(2);
      for (const folder of folders)
        expect(writable.some(({ mountPath }) => folder.startsWith(`${mountPath}/`))).toBe(true);
      expect(mounts.every(({ name }) => volumes.has(name))).toBe(true);
    }
  });

  test('ask a worker whether it lives and is ready, at the port that it is given', () => {
    const [worker] = PODS[0]![2].containers;
    expect(worker.livenessProbe.httpGet).toEqual({ path: '/health', port: 'status' });
    expect(worker.readinessProbe.httpGet).toEqual({ path: '/ready', port: 'status' });
    expect(worker.args).toContain('--port=9464');
    expect(worker).toMatchObject({ ports: [{ name: 'status', containerPort: 9464 }] });
  });
});

describe('the compose file', () => {
  const [{ services, volumes }] = documents('compose.yaml');

  test('has Redis that never evicts, workers and a coordinator', () => {
    expect(Object.keys(services)).toEqual(['redis', 'worker', 'coordinator', 'assets']);
    const redis = services.redis.command.join(' ');
    expect(redis).toContain('--maxmemory-policy noeviction');
    expect(redis).toMatch(/--requirepass \$\{REDIS_PASSWORD:\?/);
    expect(services.worker.environment.BTG2GLTF_QUEUE_URL).toContain(':${REDIS_PASSWORD:?');
    // One login for all: no replicas.
    expect(services.worker.command.join(' ')).toMatch(/--workers=[2-9]/);
    expect(services.worker.deploy).not.toHaveProperty('replicas');
    expect(Object.keys(volumes)).toEqual(['redis', 'output', 'cache']);
  });

  test('calls the program with options and variables that exist, on a read-only file system', () => {
    for (const name of ['worker', 'coordinator', 'assets']) {
      const { command, environment, read_only } = services[name];
      expect(faultsOf(command)).toEqual([]);
      expect(Object.keys(environment).filter((one) => !isVariable(one))).toEqual([]);
      expect(read_only).toBe(true);
    }
  });
});

test.each(FILES.filter((file) => file.endsWith('.service')))(
  '%s calls the program with options that exist',
  (file) => {
    const [, call = ''] = /^ExecStart=\/usr\/bin\/node dist\/cli\/main\.js (.+)$/m.exec(
      read(file),
    )!;
    // In a unit, `%` is doubled.
    expect(faultsOf(call.replaceAll('%%', '%').split(' '))).toEqual([]);
    expect(read(file)).toContain('TimeoutStopSec=30\n');
  },
);

test('the image has the files that the program reads, and no other user than node runs it', () => {
  const dockerfile = read('Dockerfile');
  const sent = read('Dockerfile.dockerignore').match(/(?<=^!).+/gm);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) =>
    names!.split(' '),
  );
  expect(copied.sort()).toEqual(sent!.sort());
  expect(dockerfile).toMatch(/^USER node$/m);
  const { files } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { files: string[] };
  for (const path of files.filter((path) => /^(?:dist|src\/(?!\*))/.test(path)))
    expect(dockerfile, path).toContain(`--from=build /opt/btg2gltf/${path} `);
});

test.each(FILES)('%s names no variable that does not exist', (file) => {
  const names = read(file).match(/\b(?:BTG2GLTF|AWS)_[A-Z0-9_]+/g) ?? [];
  expect(names.filter((name) => !isVariable(name))).toEqual([]);
});

test('the variables of the image are its own', () => {
  const names = [...read('Dockerfile').matchAll(/^(?:ARG|ENV) (.+)$/gm)].flatMap(([, words]) =>
    words!.split(' ').map((word) => word.split('=')[0]!),
  );
  expect(names.filter((name) => !IMAGE_VARIABLES.has(name))).toEqual([]);
});

test('the page names every file of the folder, and has at most 1,150 words', () => {
  const page = read('README.md');
  const others = FILES.filter((file) => !/README|\.dockerignore$/.test(file));
  expect(others.filter((file) => !page.includes(`](${file})`))).toEqual([]);
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_150);
});

test('a wrong call is found', () => {
  expect(faultsOf(['work', 'a.yaml'])).toEqual(['work: no such command']);
  expect(faultsOf(['run', '--executor=bull'])).toEqual(['run: expected a pipeline file']);
  expect(faultsOf(['run', 'a.yaml', '--executor=bull', '--replicas', '3'])).toEqual([
    'run: --executor bull',
    'run: no option --replicas',
  ]);
});
