import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { V1_CLIENTS } from '../../api/operations/clients.ts';
import { readJob, readJobId } from '../../api/read-job.ts';
import { parseJson } from '../../api/read-members.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';

const BASE = 'https://api.example/api/open/v1';
const speech = V1_CLIENTS['speech-job'].results;
const lipSync = V1_CLIENTS['lip-sync-job'].results;

describe('readJobId', () => {
  it.each([
    [{ id: 't1', status: 'queued' }],
    [{ taskId: 't1' }],
    [{ task_id: 't1' }],
    [{ job_id: 't1' }],
    [{ jobId: 't1' }],
    [{ success: true, message: 'ok', data: { id: 't1', status: 'queued' } }],
    [{ task: { id: 't1' }, record: { id: 'r9' }, requestId: 'req', creditsUsed: 3 }],
    [{ task: {}, record: { taskId: 't1' }, requestId: 'req' }],
    [{ id: 't1', record: { id: 'r9' } }],
    [{ data: { task: { task_id: 't1' }, id: 'd9' } }],
    [{ data: { job: { id: 't1' } } }],
  ])('finds the id in %j', (json) => {
    expect(readJobId(json)).toBe('t1');
  });

  it('takes a number of more digits than a double holds as it stands, and no other id in its place', () => {
    const text =
      '{"note":"id \\"9007199254740993","data":{"id":9007199254740993,"price":0.12345678901234567},"record":{"id":7}}';
    const json = parseJson(text);
    expect(readJobId(json)).toBe('9007199254740993');
    expect(json).toMatchObject({ note: 'id "9007199254740993', data: { price: Number('0.12345678901234567') } });
    expect(parseJson('[1234567890123456, -12345678901234567890, 1e300]')).toEqual([
      1234567890123456,
      '-12345678901234567890',
      1e300,
    ]);
    expect(parseJson('{"id":9007199254740993')).toBeUndefined();
  });

  it('takes a number as an id', () => {
    expect(readJobId({ data: { id: 42 } })).toBe('42');
  });

  it.each([
    [{ requestId: 'req', request_id: 'req' }],
    [{ id: '' }],
    [{ id: '..' }],
    [{ id: null, data: { id: {} } }],
    [{ id: 'x'.repeat(201) }],
    [[{ id: 't1' }]],
    ['t1'],
    [null],
    [undefined],
  ])('finds none in %j', (json) => {
    expect(readJobId(json)).toBeUndefined();
  });
});

describe('readJob', () => {
  it.each(['completed', 'succeeded', 'Success', 'DONE', 'finished'])('reads %s as completed', (status) => {
    expect(readJob({ id: 't1', status, audioUrl: 'https://cdn.example/a' }, speech, 't1', BASE)).toEqual({
      id: 't1',
      phase: 'completed',
      status,
      resultUrl: 'https://cdn.example/a',
    });
  });

  it.each(['failed', 'ERROR', 'cancelled', 'canceled', 'expired', 'rejected'])('reads %s as failed', (status) => {
    const job = readJob({ data: { id: 't1', status, error_message: 'no face' } }, lipSync, 't1', BASE);
    expect(job).toEqual({ id: 't1', phase: 'failed', status, error: 'no face' });
  });

  it.each(['queued', 'pending', 'processing', 'rendering', 'completing', 'constructor'])('waits on %s', (status) => {
    const job = readJob({ task: { id: 't1', status, audioUrl: 'https://cdn.example/a' } }, speech, 't1', BASE);
    expect(job).toEqual({ id: 't1', phase: 'running', status });
  });

  it.each([
    [{ id: 't1', status: 'completed', audioUrl: 'https://cdn.example/a' }],
    [{ id: 't1', status: 'completed', audio_url: 'https://cdn.example/a' }],
    [{ task: { id: 't1', status: 'completed' }, record: { audioUrl: 'https://cdn.example/a' }, requestId: 'q' }],
    [{ task: { id: 't1' }, record: { id: 'r1', status: 'completed', audioUrl: 'https://cdn.example/a' } }],
    [{ task: { id: 't1' }, status: 'completed', audioUrl: 'https://cdn.example/a' }],
    [{ success: true, data: { id: 't1', state: 'done', result: { audio_url: 'https://cdn.example/a' } } }],
    [{ success: true, data: { id: 't1', status: 'done', output: 'https://cdn.example/a' } }],
    [{ id: 't1', status: 'completed', result_url: 'https://cdn.example/a', audioUrl: 'https://cdn.example/old' }],
  ])('finds the speech in %j', (json) => {
    expect(readJob(json, speech, 't1', BASE)).toMatchObject({
      phase: 'completed',
      resultUrl: 'https://cdn.example/a',
    });
  });

  it.each([
    [{ result_url: 'https://cdn.example/v' }],
    [{ resultUrl: 'https://cdn.example/v' }],
    [{ outputUrl: 'https://cdn.example/v' }],
    [{ result: { url: 'https://cdn.example/v' } }],
    [{ result: { videoUrl: 'https://cdn.example/v' } }],
    [{ output: { video_url: 'https://cdn.example/v' } }],
  ])('finds the video in %j beside echoed inputs', (members) => {
    const echoes = { videoUrl: 'https://in.example/v', audioUrl: 'https://in.example/a', url: 'https://in.example/x' };
    const json = { success: true, data: { id: 'j1', status: 'completed', ...echoes, ...members } };
    expect(readJob(json, lipSync, 'j1', BASE)?.resultUrl).toBe('https://cdn.example/v');
  });

  it('never takes an echoed input for the video', () => {
    const data = { id: 'j1', status: 'completed', videoUrl: 'https://in.example/v', audio_url: 'https://in.example/a' };
    expect(readJob({ success: true, data }, lipSync, 'j1', BASE)).toEqual({
      id: 'j1',
      phase: 'completed',
      status: 'completed',
    });
  });

  const SENT: RowSpec = {
    kind: 'lip-sync',
    video: 'https://in.example/a%20face.mp4?sig=1',
    audio: 'https://in.example/a.mp3',
    extra: { poster: 'https://in.example/poster.png' },
  };
  const RESULT = 'https://cdn.example/v.mp4?sig=9';

  it.each([
    ['alone', { videoUrl: RESULT }],
    ['in snake case', { video_url: RESULT }],
    ['beside the audio as sent', { videoUrl: RESULT, audioUrl: SENT.audio }],
    ['beside the video as sent', { videoUrl: SENT.video, video_url: RESULT }],
    ['before the results', { videoUrl: RESULT, result: {}, output: null, resultUrl: '' }],
  ])('takes a link under the name of an input for the video if it was not sent: %s', (_name, members) => {
    const json = { success: true, data: { id: 'j1', status: 'completed', ...members } };
    expect(readJob(json, lipSync, 'j1', BASE, SENT)?.resultUrl).toBe(RESULT);
    // Without the row, nobody knows what was sent.
    expect(readJob(json, lipSync, 'j1', BASE)?.resultUrl).toBeUndefined();
    expect(readJob({ ...json, data: { ...json.data, status: 'processing' } }, lipSync, 'j1', BASE, SENT)).toEqual({
      id: 'j1',
      phase: 'running',
      status: 'processing',
    });
  });

  it.each([
    ['by its place in the answer', 'data.clip.href', { clip: { href: RESULT } }],
    ['by its place on the job', 'clip.href', { clip: { href: RESULT } }],
    ['in a list', 'data.clips.1.href', { clips: [{ href: 7 }, { href: RESULT }] }],
    ['before the usual names', 'data.clip', { clip: RESULT, resultUrl: 'https://cdn.example/preview.mp4' }],
    ['relative', 'clip', { clip: '/files/v.mp4' }],
  ])('takes the link under a member that the user names: %s', (_name, member, members) => {
    const names = { ...lipSync, named: ['data.other', member] };
    const json = { success: true, data: { id: 'j1', status: 'completed', ...members } };
    const link = member === 'clip' ? 'https://api.example/files/v.mp4' : RESULT;
    expect(readJob(json, names, 'j1', BASE, SENT)?.resultUrl).toBe(link);
    expect(readJob({ ...json, data: { ...json.data, status: 'failed' } }, names, 'j1', BASE, SENT)).not.toHaveProperty(
      'resultUrl',
    );
    // Without the row, nobody knows what was sent.
    expect(readJob(json, names, 'j1', BASE)?.resultUrl).not.toBe(link);
  });

  it.each([
    ['the video', 'https://in.example/a%20face.mp4?sig=2'],
    ['the audio', SENT.audio],
    ['a field of the row', 'https://in.example/poster.png?w=10'],
    ['a field inside a field', 'https://in.example/deep.mp4'],
    ['a path that the row sent', '/api/open/v1/me'],
    ['a word', 'none'],
    ['no text', 7],
  ])('never takes what was sent, whoever names it: %s', (_name, clip) => {
    const spec = {
      ...SENT,
      extra: { ...SENT.extra, path: '/api/open/v1/me', more: { of: ['https://in.example/deep.mp4'] } },
    };
    const json = { success: true, data: { id: 'j1', status: 'completed', clip } };
    expect(readJob(json, { ...lipSync, named: ['data.clip'] }, 'j1', BASE, spec)?.resultUrl).toBeUndefined();
    const both = { ...json, data: { ...json.data, resultUrl: RESULT } };
    expect(readJob(both, { ...lipSync, named: ['data.clip'] }, 'j1', BASE, spec)?.resultUrl).toBe(RESULT);
  });

  it('takes the link of speech under a member that the user names', () => {
    const json = { id: 'j1', status: 'completed', href: 'https://cdn.example/a.mp3' };
    const spec: RowSpec = { kind: 'tts', text: 'Hello.', voice: 'v', extra: {} };
    expect(readJob(json, { ...speech, named: ['href'] }, 'j1', BASE, spec)?.resultUrl).toBe(
      'https://cdn.example/a.mp3',
    );
  });

  it.each([
    ['as sent', { videoUrl: SENT.video }],
    ['signed anew', { videoUrl: 'https://in.example/a%20face.mp4?sig=2&expires=5#t=1' }],
    ['spelled otherwise', { video_url: 'http://IN.example:80/a face.mp4/' }],
    ['the other input', { videoUrl: SENT.audio }],
    ['a field of the row', { videoUrl: 'https://in.example/poster.png?w=10' }],
    ['beside audio of another link too', { videoUrl: RESULT, audioUrl: 'https://cdn.example/a.mp3' }],
    ['only audio', { audioUrl: 'https://cdn.example/a.mp3' }],
    ['no link', { videoUrl: 'none', video_url: 7 }],
    ['another scheme', { videoUrl: 'ftp://cdn.example/v.mp4' }],
  ])('never takes an input for the video: %s', (_name, members) => {
    const json = { success: true, data: { id: 'j1', status: 'completed', ...members } };
    expect(readJob(json, lipSync, 'j1', BASE, SENT)?.resultUrl).toBeUndefined();
  });

  it('prefers the name of a result to that of an input', () => {
    const data = { id: 'j1', status: 'completed', videoUrl: 'https://cdn.example/preview', result_url: RESULT };
    expect(readJob({ data }, lipSync, 'j1', BASE, SENT)?.resultUrl).toBe(RESULT);
    const dub: RowSpec = { kind: 'dub', text: 'Hi', voice: 'v', video: SENT.video ?? '', extra: {} };
    const beside = { id: 'j1', status: 'completed', videoUrl: RESULT, audioUrl: 'https://cdn.example/speech.mp3' };
    expect(readJob(beside, lipSync, 'j1', BASE, dub)?.resultUrl).toBe(RESULT);
  });

  it('does not take the word of the envelope for the word of the job', () => {
    expect(readJob({ status: 'success', data: { id: 't1', status: 'queued' } }, speech, 't1', BASE)?.phase).toBe(
      'running',
    );
    expect(readJob({ status: 'error', data: { id: 't1' } }, speech, 't1', BASE)?.phase).toBe('running');
    expect(readJob({ status: 'error', message: 'internal' }, speech, 't1', BASE)).toBeUndefined();
    for (const status of ['failed', 'FAILURE', 'expired', 'rejected']) {
      expect(readJob({ status, message: 'Service busy' }, speech, 't1', BASE)).toBeUndefined();
    }
    expect(readJob({ status: 200, data: { id: 't1' } }, speech, 't1', BASE)?.phase).toBe('running');
  });

  it('resolves a relative link and reads credits', () => {
    const json = { task: { id: 't1', status: 'completed', audioUrl: '/files/a.mp3' }, creditsUsed: 12 };
    expect(readJob(json, speech, 't1', BASE)).toMatchObject({
      resultUrl: 'https://api.example/files/a.mp3',
      credits: 12,
    });
  });

  it.each([-1, 1e300, 1_000_000_001])(
    'takes %p credits for no price: sums could not be trusted any more',
    (creditsUsed) => {
      const json = { task: { id: 't1', status: 'completed', audioUrl: '/files/a.mp3' }, creditsUsed };
      expect(readJob(json, speech, 't1', BASE)?.credits).toBeUndefined();
    },
  );

  it('gives the words of a nested error with its code', () => {
    const json = { id: 't1', status: 'failed', error: { code: 'ERR_VOICE', message: 'the voice is gone' } };
    expect(readJob(json, speech, 't1', BASE)?.error).toBe('the voice is gone (ERR_VOICE)');
  });

  it.each([[{}], [{ code: 'x', message: 'y' }], [[]], ['<html>'], [undefined]])('finds no job in %j', (json) => {
    expect(readJob(json, speech, 't1', BASE)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(() => readJob(json, lipSync, undefined, BASE)).not.toThrow();
      }),
    );
  });
});
