import { expect, it } from '@jest/globals';
import { stoppedLine } from '../../../starters/run/finish-run.ts';

type Stopped = Parameters<typeof stoppedLine>[0];

const settings = { reading: { kind: null, defaults: {}, map: {}, tts: 'job' } };
const OPEN = { name: 'b', source: 'b.csv', subset: null, settings, state: 'open', control: 'running' } as unknown;
const PAUSED = { ...(OPEN as object), control: 'paused' };
const ALONE = { standstill: 'no-worker', isDeserted: true } as const;
const NOBODY_YET =
  /nothing is lost\. No worker is running.*goes on with it, and spends\. .*: voxbatch pause b\. .*: voxbatch run b\.csv$/;
const CONTINUE = 'Stopped here; nothing is lost. Continue with: voxbatch run b.csv';

it.each([
  ['a cluster without workers', OPEN, ALONE, false, NOBODY_YET],
  ['a cluster with workers of other accounts', OPEN, { ...ALONE, isDeserted: false }, false, NOBODY_YET],
  ['a cluster without workers, paused', PAUSED, ALONE, false, CONTINUE],
  [
    'a cluster with workers',
    OPEN,
    { standstill: undefined, isDeserted: false },
    false,
    /another process goes on.*pause b$/,
  ],
  ['this machine alone', OPEN, { standstill: undefined, isDeserted: true }, true, CONTINUE],
] as const)('tells who spends on a batch whose command was stopped: %s', (_, batch, stands, isEmbedded, words) => {
  const line = stoppedLine({ batch, ...stands } as Stopped, { out: 'out/b', isEmbedded });
  expect(line).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
});
