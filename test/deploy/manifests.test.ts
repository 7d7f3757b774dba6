import { describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { EXIT_CODES, type Retry } from '../../contract/exit-codes.ts';
import { readLedgerAddress } from '../../ledger/supported-databases.ts';
import { readStoreAddress } from '../../store/supported-stores.ts';
import { createProgram } from '../../starters/program.ts';
import { capture } from '../starters/capture.ts';

/** What `deploy/` tells voxbatch: every command, flag, setting and path of it must be one of ours. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = [
  'compose/compose.yaml',
  ...readdirSync(join(ROOT, 'deploy/kubernetes')).map((name) => `kubernetes/${name}`),
];

type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

const read = (file: string): string => readFileSync(join(ROOT, 'deploy', file), 'utf8');

/** Every object in a file, with those inside of it. */
function* objectsIn(value: Value): Generator<{ readonly [name: string]: Value }> {
  if (Array.isArray(value)) for (const one of value as readonly Value[]) yield* objectsIn(one);
  else if (typeof value === 'object' && value !== null) {
    yield value as { readonly [name: string]: Value };
    for (const one of Object.values(value)) yield* objectsIn(one);
  }
}

function documentsOf(file: string): readonly Value[] {
  return parseAllDocuments(read(file), { merge: true }).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS() as Value;
  });
}

/** Our image: built beside a compose file, or one of a registry. */
const OURS = ['voxbatch', 'REGISTRY/voxbatch:VERSION'];

/** The containers that run our image: of compose a service, of Kubernetes a container. */
function ourContainers(file: string): readonly { readonly [name: string]: Value }[] {
  return documentsOf(file).flatMap((one) =>
    [...objectsIn(one)].filter(
      ({ image, ...rest }) =>
        typeof image === 'string' && OURS.includes(image) && ('args' in rest || 'command' in rest),
    ),
  );
}

const CONTAINERS = FILES.flatMap((file) => ourContainers(file).map((container, at) => ({ file, at, container })));

/** The words after `voxbatch`, from where each kind of file says them. */
function wordsOf({ args, command }: { readonly [name: string]: Value }): readonly string[] {
  return (args ?? command) as readonly string[];
}

/** The settings of a container: names and what is known of their values. */
function settingsOf({ env = [], environment = {} }: { readonly [name: string]: Value }): readonly string[] {
  const named = (env as readonly { readonly name: string }[]).map(({ name }) => name);
  return [...named, ...Object.keys(environment as object)];
}

/** All names of settings that the code reads, with those that libraries read. */
const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(api|client|contract|embedded|inputs|starters|store|worker)\/.*\.ts$/.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');
const OF_LIBRARIES = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'PGPASSWORD', 'XDG_STATE_HOME'];
const isSetting = (name: string): boolean =>
  OF_LIBRARIES.includes(name) || SOURCES.includes(`'${name}'`) || SOURCES.includes(name);

describe('what is deployed', () => {
  it.each(FILES)('%s has a container of ours, or is the rule of a scaler or what all share', (file) => {
    expect(ourContainers(file).length > 0 || /(scaler|settings)\.yaml$/.test(file)).toBe(true);
  });

  it.each(CONTAINERS)('$file, container $at: a command with flags that there are', async ({ container }) => {
    const words = wordsOf(container);
    const lines = { out: '', err: '' };
    const program = createProgram({ output: capture(lines), done: () => undefined });
    // Only reads its words: nothing is run.
    for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)])
      command.hook('preAction', () => {
        throw new Error('read');
      });
    await expect(program.parseAsync(['node', 'voxbatch', ...words])).rejects.toThrow('read');
  });

  it.each(CONTAINERS)('$file, container $at: settings that the code reads', ({ container }) => {
    // A name that Kubernetes puts into the words.
    const own = settingsOf(container).filter((name) => !wordsOf(container).some((word) => word.includes(`$(${name})`)));
    expect(own.filter((name) => !isSetting(name))).toEqual([]);
    expect(own).toContain('VOXBATCH_LEDGER');
  });

  it.each(CONTAINERS)(
    '$file, container $at: nothing is written but to volumes, by a user without rights',
    ({ file, container }) => {
      if (file.startsWith('compose')) {
        expect(container).toMatchObject({
          read_only: true,
          volumes: ['/state', '/tmp'],
          cap_drop: ['ALL'],
        });
        return;
      }
      expect(container['securityContext']).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      const mounts = (container['volumeMounts'] as readonly { readonly mountPath: string }[]).map(
        ({ mountPath }) => mountPath,
      );
      expect(mounts).toEqual(expect.arrayContaining(['/state', '/tmp']));
      expect(container['resources']).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      // The user is that of the image.
      const [, user = ''] = /^USER (\d+):/m.exec(read('docker/Dockerfile')) ?? [];
      const pods = documentsOf(file).flatMap((one) => [...objectsIn(one)].filter((object) => 'containers' in object));
      for (const pod of pods)
        expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) });
    },
  );

  it('only who sends has the token: it is a file, and no variable has it', () => {
    for (const { container, file } of CONTAINERS) {
      expect(settingsOf(container)).not.toContain('VOXBATCH_API_TOKEN');
      if (wordsOf(container)[0] === 'ledger')
        expect({ file, settings: settingsOf(container) }).toEqual({
          file,
          settings: expect.not.arrayContaining(['VOXBATCH_API_TOKEN_FILE']),
        });
    }
  });
});

describe('the users of the database', () => {
  const services = (documentsOf('compose/compose.yaml')[0] ?? {}) as unknown as {
    readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
  };
  const environments = Object.entries(services.services).map(([name, { environment = {} }]) => ({ name, environment }));

  it.each([
    ['worker', 'worker'],
    ['migrate', 'owner'],
    ['command', 'operator'],
    ['look', 'reader'],
  ])('of compose: %s is the user %s, with its password', (name, user) => {
    const { environment = {} } = services.services[name] ?? {};
    expect(environment).toMatchObject({
      VOXBATCH_LEDGER: `postgres://${user}@postgres:5432/voxbatch`,
      PGPASSWORD: `\${${user.toUpperCase()}_PASSWORD:?}`,
    });
  });

  it('of compose: only what makes the users has the password of the superuser', () => {
    const having = environments.filter(({ environment }) =>
      JSON.stringify(environment).includes('POSTGRES_PASSWORD:?'),
    );
    expect(having.map(({ name }) => name)).toEqual(['users', 'postgres']);
  });

  it('of compose: each password that a service needs is one that the comment makes', () => {
    const text = read('compose/compose.yaml');
    const made = /for name in ([A-Z ]+); do/.exec(text)?.[1]?.split(' ') ?? [];
    const needed = [...text.matchAll(/\$\{([A-Z]+)_PASSWORD:\?\}/g)].map(([, name]) => name);
    expect(made.toSorted()).toEqual([...new Set(needed)].toSorted());
  });

  it('of Kubernetes: each container has the secret of its own user, and commands name that user', () => {
    const users = CONTAINERS.filter(({ file }) => file.startsWith('kubernetes')).map(({ file, container }) => {
      const [, name = ''] = /"secretKeyRef":\{"name":"([^"]+)","key":"ledger"/.exec(JSON.stringify(container)) ?? [];
      const [, user] =
        new RegExp(`secret generic ${name} --from-literal=ledger=postgres://(\\w+):`).exec(read(file)) ?? [];
      return `${wordsOf(container)[0] ?? ''} ${name} ${user ?? 'as above'}`;
    });
    expect(users.toSorted()).toEqual([
      'ledger voxbatch-owner owner',
      'run voxbatch-operator ann',
      'run voxbatch-operator as above',
      'worker voxbatch worker',
    ]);
  });
});

describe('the settings that containers share', () => {
  const shared = documentsOf('kubernetes/settings.yaml').flatMap((one) =>
    [...objectsIn(one)].filter(({ kind }) => kind === 'ConfigMap'),
  );

  it('are those that the code reads, with places that it can open', () => {
    const [map] = shared as unknown as readonly { readonly data: Readonly<Record<string, string>> }[];
    expect(Object.keys(map?.data ?? {}).filter((name) => !isSetting(name))).toEqual([]);
    const stores = [
      map?.data['VOXBATCH_STORE'] ?? '',
      ...[...read('compose/compose.yaml').matchAll(/VOXBATCH_STORE: (\S+)/g)].map(([, one = '']) => one),
    ];
    for (const store of stores) expect(readStoreAddress(store)).toMatchObject({ type: 'address', address: store });
    const [, ledger = ''] = /VOXBATCH_LEDGER: (\S+)/.exec(read('compose/compose.yaml')) ?? [];
    expect(readLedgerAddress(ledger)).toMatchObject({ type: 'address' });
  });
});

it.each(['kubernetes/batch.yaml', 'kubernetes/nightly.yaml'])(
  'the ends that a job may have: %s repeats what may go on, and nothing else',
  (file) => {
    const rules = documentsOf(file).flatMap((one) => [...objectsIn(one)].filter((object) => 'onExitCodes' in object));
    const [rule] = rules as unknown as readonly { readonly onExitCodes: { readonly values: readonly number[] } }[];
    const known = Object.values(EXIT_CODES);
    // What somebody paused (75) may be resumed meanwhile.
    const codes = (retries: readonly Retry[]): readonly number[] =>
      known.filter(({ code, retry }) => code !== 0 && retries.includes(retry)).map(({ code }) => code);
    const ended = codes(['no', 'after-change']).filter((code) => code !== EXIT_CODES.paused.code);
    expect(rule?.onExitCodes.values).toEqual([...new Set(ended)]);
    for (const code of codes(['now', 'later'])) expect(rule?.onExitCodes.values).not.toContain(code);
  },
);

it.each(CONTAINERS.filter(({ container }) => wordsOf(container)[0] === 'worker'))(
  'the time to end: $file gives a worker what --grace asks for, and 10 s more',
  ({ file, container }) => {
    const words = wordsOf(container);
    const minutes = Number(/^(\d+)m$/.exec(words[words.indexOf('--grace') + 1] ?? '')?.[1]);
    const text = read(file);
    const given = Number(/(?:terminationGracePeriodSeconds: |stop_grace_period: )(\d+)/.exec(text)?.[1]);
    expect(given).toBeGreaterThanOrEqual(minutes * 60 + 10);
    // The probe looks at the file that the worker touches, or asks its port.
    const [, port] = /:(\d+)$/.exec(words[words.indexOf('--metrics-port') + 1] ?? '') ?? [];
    const alive = words[words.indexOf('--alive-file') + 1] ?? '';
    const probed = words.includes('--alive-file')
      ? `find ${alive} -mmin -1`
      : `name: metrics, containerPort: ${String(port)} `;
    expect(text).toContain(probed);
  },
);

it('the files that are named are there', () => {
  for (const [, path = ''] of FILES.map(read)
    .join('\n')
    .matchAll(/\bdockerfile: (\S+)/g))
    expect(existsSync(join(ROOT, path))).toBe(true);
  const named = FILES.map(read)
    .join('\n')
    .matchAll(/\b([a-z-]+\.yaml)\b/g);
  for (const [, name = ''] of named) expect(FILES.some((file) => file.endsWith(`/${name}`))).toBe(true);
});
