import { expect, it } from '@jest/globals';
import { voxbatchVersion } from '../../../client/version.ts';
import { readWorkerVersion } from '../../../starters/worker-versions/read-version.ts';

const ENV = { TEMPORAL_DEPLOYMENT_NAME: 'theirs', TEMPORAL_WORKER_BUILD_ID: '7' };

it('a worker takes part in no versioning unless it is told to', () => {
  expect(readWorkerVersion({}, true, {})).toBeUndefined();
  expect(readWorkerVersion({}, false, { TEMPORAL_DEPLOYMENT_NAME: '' })).toBeUndefined();
});

it('a worker that only downloads has none, whatever the environment says', () => {
  expect(readWorkerVersion({ only: 'download' }, true, ENV)).toBeUndefined();
});

it('flags come before the variables of the Worker Controller, and the build is by default the version of voxbatch', () => {
  expect(readWorkerVersion({}, true, ENV)).toEqual({ deploymentName: 'theirs', buildId: '7' });
  expect(readWorkerVersion({ deployment: 'ours', buildId: '8' }, true, ENV)).toEqual({
    deploymentName: 'ours',
    buildId: '8',
  });
  expect(readWorkerVersion({ deployment: 'ours' }, true, {})).toEqual({
    deploymentName: 'ours',
    buildId: voxbatchVersion(),
  });
});

it.each([
  [{ buildId: '8' }, true, /needs --deployment/],
  [{ deployment: 'a.b' }, true, /without "\." and ":"/],
  [{ deployment: '' }, true, /expected a name/],
  [{ deployment: 'a', buildId: 'x:y' }, true, /--build-id .* without ":"/],
  [{ deployment: 'a', buildId: '' }, true, /expected an id/],
  [{ deployment: 'a' }, false, /set TEMPORAL_ADDRESS/],
  [{ deployment: 'a', only: 'download' as const }, true, /not for workers that only download/],
])('%o (cluster: %s) is refused: %s', (flags, isCluster, says) => {
  expect(() => readWorkerVersion(flags, isCluster, {})).toThrow(says);
});
