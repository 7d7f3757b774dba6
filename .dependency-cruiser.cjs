/**
 * Who may import whom. A folder is a permission: the table below is the architecture, and each rule's comment is what
 * somebody reads who breaks it. Every rule is broken on purpose in test/tooling/import-rules.test.ts.
 */

/** Room → where it lies. */
const ROOMS = {
  contract: '^contract/',
  policy: '^policy/',
  threads: '^threads/',
  api: '^api/',
  ledger: '^ledger/',
  store: '^store/',
  inputs: '^inputs/',
  batches: '^batches/',
  workflows: '^workflows/',
  activities: '^activities/',
  worker: '^worker/',
  embedded: '^embedded/',
  results: '^results/',
  client: '^client/',
  page: '^page/',
  starters: '^starters/',
  simulator: '^simulator/',
  bench: '^bench/',
  test: '^test/',
};

/** Room → what else of the project it may import: `may` as values, `types` as types only. Each may ask a policy. */
const IMPORTS = {
  threads: {
    may: [],
    comment:
      'threads/ runs jobs in worker threads and knows nothing of what they do. The room that has the work brings its own entry file.',
  },
  api: {
    may: ['contract'],
    comment:
      'api/ speaks HTTP and could be published by itself. It hands back verdicts; who keeps them is for activities/.',
  },
  ledger: {
    may: ['contract', 'policy', 'threads', 'store/outage', 'embedded/kernel-lock', 'embedded/private-file'],
    comment:
      'ledger/ records facts. What to do with them is decided in policy/, which it asks only where the decision must fall within its transaction.',
  },
  store: {
    may: ['threads'],
    comment: 'store/ keeps files and knows nothing of rows, money or the API. Pass in what it needs as plain values.',
    types: ['contract'],
  },
  inputs: {
    may: ['contract', 'policy', 'threads', 'api/create-fetch', 'api/proxies'],
    comment:
      'inputs/ reads and prices manifests. Pass it a function if it needs something of another room; only to the thread that reads media behind links none can be passed.',
  },
  batches: {
    may: ['contract', 'policy', 'inputs', 'ledger', 'store', 'results'],
    types: ['api'],
    comment:
      'batches/ works on the records of a batch alone. Use cases in client/ and activities call it, so it knows neither, nor Temporal: give it what it needs, and return a typed answer.',
  },
  activities: {
    may: ['contract', 'api', 'ledger', 'store', 'policy', 'batches', 'results/subtitles'],
    comment:
      'Activities do what workflows ask: with the API, the ledger and the store, which the worker hands in as dependencies. They start nothing and print nothing.',
  },
  worker: {
    may: ['contract', 'api', 'ledger', 'store', 'batches', 'activities'],
    comment:
      'worker/ only wires. It names the workflows by path, because they are bundled for the sandbox; importing them would run them here.',
  },
  embedded: {
    may: ['contract'],
    comment:
      'embedded/ finds and runs a Temporal server and knows nothing of batches. Let starters/ bring the two together.',
  },
  results: {
    may: [
      'contract',
      'store',

      'inputs/formula-guard',
      'inputs/number-columns',
      'inputs/output-name',
      'inputs/own-operations/own-operation-schema',
      'inputs/regular-file',
      'inputs/seen-table',
    ],
    types: ['ledger', 'api'],
    comment:
      'results/ turns records into files. It is given a ledger and never opens one or asks the API, so it may import only their types (`import type`).',
  },
  client: {
    may: [
      'contract',
      'api',
      'ledger',
      'store',
      'inputs',
      'policy',
      'batches',
      'worker',
      'embedded',
      'results',
      'threads',
    ],
    types: ['activities'],
    comment:
      'client/ is the one door of voxbatch, for programs and for its command line: it takes plain options, asks through a person that it is given (client/person.ts), and returns views, typed answers and events. It prints nothing and never ends the process. Words and flags are for starters/.',
  },
  page: {
    may: ['contract', 'client'],
    comment:
      'page/ shows the views of client/ in a browser, and asks for everything through client/, as the command line does. Words that both need are handed in by starters/.',
  },
  starters: {
    may: ['contract', 'client', 'page', 'simulator'],
    comment:
      'The command line asks for everything through client/, as programs do: it turns flags into options, and answers and events into words. Put what you need into a use case or a view there; it then works for programs, too. (The simulator is only for `voxbatch simulate` and the demo.)',
  },
  simulator: {
    may: ['contract'],
    comment:
      'The simulator is the other side of the wire. What it shares with our client, the client cannot be wrong about; write it anew from the API.',
  },
};

/** Package → the rooms that own it; tests and benchmarks may use any. Packages that are not named here are free. */
const OWNERS = {
  '@temporalio/workflow': ['workflows'],
  '@temporalio/activity': ['activities'],
  '@temporalio/worker': ['worker', 'client'],
  '@temporalio/client': ['worker', 'embedded', 'client'],
  '@temporalio/testing': ['embedded'],
  '@temporalio/envconfig': ['client', 'starters'],
  '@temporalio/common': ['workflows', 'activities', 'worker', 'embedded', 'client'],
  axios: ['api'],
  kysely: ['ledger'],
  libsql: ['ledger/sqlite/', 'embedded'],
  'csv-parse': ['inputs', 'results'],
  'fast-string-truncated-width': ['starters'],
  commander: ['starters'],
  fastify: ['simulator'],
  preact: ['page/browser/'],
  '@smithy/signature-v4': ['store/s3/'],
  '@smithy/core': ['store/s3/'],
  '@aws-sdk/credential-provider-node': ['store/s3/'],
  mediabunny: ['simulator', 'store', 'inputs'],
};

const SHIPPED = Object.keys(ROOMS).filter((room) => room !== 'test' && room !== 'bench');

/** A room, a folder of it (`ledger/sqlite/`), or one file of it (`results/subtitles`). */
const pathOf = (name) => ROOMS[name] ?? (name.endsWith('/') ? `^${name}` : `^${name}[.]ts$`);
const pathsOf = (names) => names.map(pathOf);
const packagePath = (name) => `node_modules/${name}/`;

const roomRules = Object.entries(IMPORTS).flatMap(([room, { may, types = [], comment }]) => {
  const allowed = pathsOf([room, ...may]);
  return [
    {
      name: `${room}-knows-its-neighbours`,
      severity: 'error',
      comment: `${comment} May import: ${[...may, ...types.map((name) => `types of ${name}`)].join(', ') || 'its own files'}.`,
      from: { path: ROOMS[room] },
      to: { path: Object.values(ROOMS), pathNot: [...allowed, ...pathsOf(types)] },
    },
    ...(types.length === 0
      ? []
      : [
          {
            name: `${room}-takes-types-only`,
            severity: 'error',
            comment,
            from: { path: ROOMS[room] },
            to: { path: pathsOf(types), pathNot: allowed, dependencyTypesNot: ['type-only'] },
          },
        ]),
  ];
});

const ownerRules = Object.entries(OWNERS).map(([name, owners]) => ({
  name: `${name}-has-owners`,
  severity: 'error',
  comment: `Only ${owners.join(', ')} (and tests) use ${name}. Ask a function of that room instead, or have one handed in.`,
  from: { pathNot: pathsOf([...owners, 'test', 'bench']) },
  to: { path: packagePath(name) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    // Hygiene
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules in a cycle are one module in several files. Move what both need to a third.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing uses this file and it uses nothing: wire it up or delete it.',
      // Compiled or started by path.
      from: { orphan: true, pathNot: ['^test/support/', '^test/chaos/.*[.]mjs$', '[.]test[.]ts$', '[.]d[.]mts$'] },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'There is no such file or package. Relative imports end in `.ts`; packages must be in package.json.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependency-in-what-ships',
      severity: 'error',
      comment: 'A production install has no devDependencies: move the package to `dependencies`, or do without it.',
      from: { path: pathsOf(SHIPPED) },
      // The build puts them into the bundles of the simulator and of the browser's side of the page.
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: ['node_modules/(fastify|preact)/'],
      },
    },
    {
      name: 'browsers-know-the-protocol',
      severity: 'error',
      comment:
        'page/browser/ runs in a browser: it knows the contract and what the server sends (page/protocol.ts, page/row-query.ts), and no Node.',
      from: { path: '^page/browser/' },
      to: { pathNot: ['^page/(browser/|(protocol|row-query)[.]ts$)', ROOMS.contract, packagePath('preact')] },
    },

    // Pure rooms and the sandbox. Each allows only rooms that are as strict, so nothing gets in by a chain either.
    {
      name: 'contract-is-pure',
      severity: 'error',
      comment: 'Every room depends on the contract, so it depends on nothing: no room, no package, no Node.',
      from: { path: ROOMS.contract },
      to: { pathNot: ROOMS.contract },
    },
    {
      name: 'policy-knows-only-the-contract',
      severity: 'error',
      comment: 'Policies are plain functions of what they are given: no Temporal, no clock, no I/O, no Node.',
      from: { path: ROOMS.policy },
      // It compares two lists, and is as pure.
      to: { pathNot: [...pathsOf(['policy', 'contract']), packagePath('diff')] },
    },
    {
      name: 'workflows-stay-in-the-sandbox',
      severity: 'error',
      comment:
        'Workflow code may import contract/, workflows/ and @temporalio/workflow or common. Put the effect in an activity and name it in contract/activities.ts.',
      from: { path: ROOMS.workflows },
      to: {
        pathNot: [
          ...pathsOf(['workflows', 'policy', 'contract']),
          packagePath('@temporalio/workflow'),
          packagePath('@temporalio/common'),
        ],
      },
    },

    // Who sees whom. No room lists test/, so nobody imports tests.
    ...roomRules,
    {
      name: 'nobody-imports-an-executable',
      severity: 'error',
      comment: 'This file acts when it is imported. Import what it calls, or start it as a process.',
      from: {},
      to: { path: '^(starters/(cli|demo)|simulator/main)[.]ts$' },
    },

    // One owner per capability
    {
      name: 'children-get-no-secrets',
      severity: 'error',
      comment:
        'A program is started by embedded/child-process.ts, which takes the secrets out of its environment, or by store/sound/ffmpeg.ts, which gives it none.',
      from: { path: pathsOf(SHIPPED), pathNot: '^(embedded/child-process|store/sound/ffmpeg)[.]ts$' },
      to: { path: '^(node:)?child_process$', dependencyTypesNot: ['type-only'] },
    },
    ...ownerRules,
    {
      name: 'zod-stands-at-the-doors',
      severity: 'error',
      comment:
        'Parse where something comes in (inputs, starters, results, embedded, simulator; from Temporal: activities/read-arguments.ts; from its UI: client/encryption/codec-server.ts); inside, trust the type of the contract.',
      from: {
        pathNot: [
          pathsOf(['inputs', 'starters', 'results', 'embedded', 'simulator', 'test', 'bench']),
          '^activities/read-arguments[.]ts$',
          '^client/encryption/codec-server[.]ts$',
        ].flat(),
      },
      to: { path: packagePath('zod') },
    },
    {
      name: 'files-have-owners',
      severity: 'error',
      comment: 'api/ and activities/ never touch the disk: hand the bytes to store/, or the record to ledger/.',
      from: { path: pathsOf(['api', 'activities']) },
      to: { path: '^(node:)?fs(/|$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^([.][.]/)*dist/' }, // what live tests start; it is there after a build only
    tsPreCompilationDeps: true, // sees imports of types too
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
