import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../../../contract/row-kinds.ts';
import { addBatch, finish, keyOf } from '../../results/sample-batch.ts';
import { wav } from '../../store/media.ts';
import { FFMPEG } from '../../support/ffmpeg.ts';
import { expectRun, json, placeForEach, run } from '../command-line.ts';

const place = placeForEach();

/** A finished batch of two rows of speech, begun without any work on its sound. No API is configured, so nothing can be sent. */
async function addFinished(second: Kind = 'tts'): Promise<void> {
  const rows = [
    { id: 'a', kind: 'tts', input: ['a', 'One'] },
    { id: 'b', kind: second, input: ['b', 'One'] },
  ] as const;
  await addBatch(place, ['id', 'chapter'], rows);
  for (const row of second === 'tts' ? [1, 2] : [1]) {
    const file = await place.store.put(`demo/${String(row)}-speech-1.wav`, wav(1));
    await finish(place, keyOf(row), file);
  }
  await place.ledger.closeBatch('demo');
}

beforeEach(() => {
  process.env['VOXBATCH_FFMPEG'] = FFMPEG;
});

const JOINED = 'out/demo/media/joined';

describe('results of a finished batch', () => {
  it('--join puts its rows together, free, and so do later results and verify', async () => {
    await addFinished();
    await expectRun('results', 0, { not: 'joined' });
    await expectRun('results --join chapter --pause 0.5', 0);
    expect(readdirSync(JOINED)).toEqual(['One.wav']);
    await run('results --out again');
    expect(readdirSync('again/media/joined')).toEqual(['One.wav']);
    await expectRun('verify', 0);
    const { value } = await json('history', 'demo', '--kind', 'tune');
    expect(value['actions']).toMatchObject([
      {
        changed: [
          { setting: 'join', from: 'none', to: 'chapter' },
          { setting: 'pause', from: 'none', to: '0.5' },
        ],
      },
    ]);
    // The same again is no change.
    await expectRun('results --join chapter --pause 0.5', 0);
    expect((await json('history', 'demo', '--kind', 'tune')).value['actions']).toHaveLength(1);
    await expectRun('results --join id', 2, 'as the batch was begun');
  });

  it('--loudness and the others make finished copies, and are refused where they cannot', async () => {
    await addFinished();
    await expectRun('results --loudness -16 --sound-format flac', 0);
    expect(readdirSync('out/demo/media/finished').sort()).toEqual(['a.flac', 'b.flac']);
    await expectRun('results --loudness -20', 2, 'as the batch was begun');
    await expectRun('results --loudness -16 --media-links 1h', 2, '--media-links');
  });

  it('adds the one to a batch that has the other, also if both are named', async () => {
    await addFinished();
    await expectRun('results --join chapter', 0);
    await expectRun('results --join chapter --loudness -16', 0);
    const finished = readdirSync('out/demo/media/finished').sort();
    await expectRun('results --join chapter --loudness -16', 0);
    expect({ finished, joined: readdirSync(JOINED) }).toEqual({
      finished: ['a.wav', 'b.wav', 'joined'],
      joined: ['One.wav'],
    });
    await expectRun('results --join id --loudness -16', 2, 'as the batch was begun');
  });

  it('refuses a column that is none, or has rows that make no speech', async () => {
    await addFinished('lip-sync');
    await expectRun('results --join scene', 2, 'a column of the batch (id, chapter)');
    await expectRun('results --join chapter', 2, 'rows that make no speech, such as row 2 (b)');
    await expectRun('results --pause 1', 2, '--pause needs --join');
    expect((await place.ledger.findBatch('demo'))?.settings.reading.join).toBeUndefined();
  });
});
