import { voxbatchVersion } from '../version.ts';
import type { Family } from './families.ts';
import type { ReadinessNeeds } from './readiness.ts';

/** What a worker says of itself. `isReady`: as `/readyz` says. */
export function workerGauges(standing: ReturnType<ReadinessNeeds['standing']>, isReady: boolean): readonly Family[] {
  return [
    gauge('voxbatch_build_info', 'Always 1; the version of this worker.', 1, { version: voxbatchVersion() }),
    gauge(
      'voxbatch_ready',
      '1 if the worker runs, and its ledger and store answer, as /readyz; else 0.',
      isReady ? 1 : 0,
    ),
    gauge(
      'voxbatch_downloads_queued',
      'Results that wait in this worker for their turn to be downloaded.',
      standing?.downloadsQueued ?? 0,
    ),
  ];
}

function gauge(name: string, help: string, value: number, labels = {}): Family {
  return { name, help, samples: [{ labels, value }] };
}
