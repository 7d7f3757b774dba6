import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { V1_CLIENTS } from '../../api/operations/clients.ts';
import { readJob, readJobId } from '../../api/read-job.ts';
import { parseJson } from '../../api/read-members.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';

const BASE = 'https://api.example/api/open/v1';
const speech = V1_CLIENTS['speech-job'].results;
const lipSync = V1_CLIENTS['lip-sync-job'].results;

const CDN = 'https://cdn.example/a';
const done = (members: object): object => ({ success: true, data: { id: 'j1', status: 'completed', ...members } });

describe('readJobId', () => {
  it.each([
    { id: 't1', status: 'queued' },
    { taskId: 't1' },
    { task_id: 't1' },
    { job_id: 't1' },
    { jobId: 't1' },
    { success: true, message: 'ok', data: { id: 't1', status: 'queued' } },
    { task: { id: 't1' }, record: { id: 'r9' }, requestId: 'req', creditsUsed: 3 },
    { task: {}, record: { taskId: 't1' }, requestId: 'req' },
    { id: 't1', record: { id: 'r9' } },
    { data: { task: { task_id: 't1' }, id: 'd9' } },
    { data: { job: { id: 't1' } } },
  ])('finds the id in %j', (json) => expect(readJobId(json)).toBe('t1'));

  it('takes a number as an id, also one of more digits than a double holds, and no other id in its place', () => {
    expect(readJobId({ data: { id: 42 } })).toBe('42');
    const text =
      '{"note":"id \\"9007199254740993","data":{"id":9007199254740993,"price":0.12345678901234567},"record":{"id":7}}';
    const json = parseJson(text);
    expect(readJobId(json)).toBe('9007199254740993');
    expect(json).toMatchObject({ note: 'id "9007199254740993', data: { price: Number('0.12345678901234567') } });
    const numbers = parseJson('[1234567890123456, -12345678901234567890, 1e300]');
    expect(numbers).toEqual([1234567890123456, '-12345678901234567890', 1e300]);
    expect(parseJson('{"id":9007199254740993')).toBeUndefined();
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
  ])('finds none in %j', (json) => expect(readJobId(json)).toBeUndefined());
});

describe('readJob', () => {
  it.each(['completed', 'succeeded', 'Success', 'DONE', 'finished'])('reads %s as completed', (status) => {
    const job = { id: 't1', phase: 'completed', status, resultUrl: CDN };
    expect(readJob({ id: 't1', status, audioUrl: CDN }, speech, 't1', BASE)).toEqual(job);
  });

  it.each(['failed', 'ERROR', 'cancelled', 'canceled', 'expired', 'rejected'])('reads %s as failed', (status) => {
    const job = readJob({ data: { id: 't1', status, error_message: 'no face' } }, lipSync, 't1', BASE);
    expect(job).toEqual({ id: 't1', phase: 'failed', status, error: 'no face' });
    // Without a job, it is the word of the envelope.
    expect(readJob({ status, message: 'Service busy' }, speech, 't1', BASE)).toBeUndefined();
  });

  it.each(['queued', 'pending', 'processing', 'rendering', 'completing', 'constructor'])('waits on %s', (status) => {
    const job = readJob({ task: { id: 't1', status, audioUrl: CDN } }, speech, 't1', BASE);
    expect(job).toEqual({ id: 't1', phase: 'running', status });
  });

  it.each<[object, string?]>([
    [{ id: 't1', status: 'completed', audioUrl: CDN }],
    [{ id: 't1', status: 'completed', audio_url: CDN }],
    [{ task: { id: 't1', status: 'completed' }, record: { audioUrl: CDN }, requestId: 'q' }],
    [{ task: { id: 't1' }, record: { id: 'r1', status: 'completed', audioUrl: CDN } }],
    [{ task: { id: 't1' }, status: 'completed', audioUrl: CDN }],
    [{ success: true, data: { id: 't1', state: 'done', result: { audio_url: CDN } } }],
    [{ success: true, data: { id: 't1', status: 'done', output: CDN } }],
    [{ id: 't1', status: 'completed', result_url: CDN, audioUrl: 'https://cdn.example/old' }],
    [{ id: 't1', status: 'completed', audioUrl: '/files/a.mp3' }, 'https://api.example/files/a.mp3'],
  ])('finds the speech in %j', (json, resultUrl = CDN) => {
    expect(readJob(json, speech, 't1', BASE)).toMatchObject({ phase: 'completed', resultUrl });
  });

  it.each([
    { result_url: CDN },
    { resultUrl: CDN },
    { outputUrl: CDN },
    { result: { url: CDN } },
    { result: { videoUrl: CDN } },
    { output: { video_url: CDN } },
  ])('finds the video in %j beside echoed inputs, which it never takes for it', (members) => {
    const inputs = { videoUrl: 'https://in.example/v', audioUrl: 'https://in.example/a' };
    const all = { ...inputs, url: 'https://in.example/x', ...members };
    expect(readJob(done(all), lipSync, 'j1', BASE)?.resultUrl).toBe(CDN);
    expect(readJob(done(inputs), lipSync, 'j1', BASE)).toEqual({ id: 'j1', phase: 'completed', status: 'completed' });
  });

  const SENT: RowSpec = {
    kind: 'lip-sync',
    video: 'https://in.example/a%20face.mp4?sig=1',
    audio: 'https://in.example/a.mp3',
    extra: { poster: 'https://in.example/poster.png' },
  };
  const RESULT = 'https://cdn.example/v.mp4?sig=9';
  const linkOf = (json: object, names = lipSync, sent?: RowSpec): string | undefined =>
    readJob(json, names, 'j1', BASE, sent)?.resultUrl;

  it('never takes an echoed link to local media for the result: the row has only their content', () => {
    const [video, audio] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const sent: RowSpec = { kind: 'lip-sync', video: `sha256:${video}`, audio: `sha256:${audio}`, extra: {} };
    const inputs = {
      videoUrl: `https://m.example/${video}.mp4?k=1`,
      audioUrl: `https://other.example/in/${audio}.wav?k=2`,
    };
    expect(linkOf(done(inputs), lipSync, sent)).toBeUndefined();
    expect(linkOf(done({ ...inputs, videoUrl: RESULT }), lipSync, sent)).toBe(RESULT);
  });

  it.each([
    ['alone', { videoUrl: RESULT }],
    ['in snake case', { video_url: RESULT }],
    ['beside the audio as sent', { videoUrl: RESULT, audioUrl: SENT.audio }],
    ['beside the video as sent', { videoUrl: SENT.video, video_url: RESULT }],
    ['before the results', { videoUrl: RESULT, result: {}, output: null, resultUrl: '' }],
  ])('takes a link under the name of an input for the video if it was not sent: %s', (_name, members) => {
    expect(linkOf(done(members), lipSync, SENT)).toBe(RESULT);
    // Without the row, nobody knows what was sent.
    expect(linkOf(done(members))).toBeUndefined();
    const running = { id: 'j1', phase: 'running', status: 'processing' };
    expect(readJob(done({ ...members, status: 'processing' }), lipSync, 'j1', BASE, SENT)).toEqual(running);
  });

  it.each([
    ['by its place in the answer', 'data.clip.href', { clip: { href: RESULT } }],
    ['by its place on the job', 'clip.href', { clip: { href: RESULT } }],
    ['in a list', 'data.clips.1.href', { clips: [{ href: 7 }, { href: RESULT }] }],
    ['before the usual names', 'data.clip', { clip: RESULT, resultUrl: 'https://cdn.example/preview.mp4' }],
    ['relative', 'clip', { clip: '/files/v.mp4' }],
  ])('takes the link under a member that the user names: %s', (_name, member, members) => {
    const names = { ...lipSync, named: ['data.other', member] };
    const link = member === 'clip' ? 'https://api.example/files/v.mp4' : RESULT;
    expect(linkOf(done(members), names, SENT)).toBe(link);
    expect(linkOf(done({ ...members, status: 'failed' }), names, SENT)).toBeUndefined();
    // Without the row, nobody knows what was sent.
    expect(linkOf(done(members), names)).not.toBe(link);
  });

  it('takes the link of speech under such a member', () => {
    const spec: RowSpec = { kind: 'tts', text: 'Hello.', voice: 'v', extra: {} };
    expect(linkOf({ id: 'j1', status: 'completed', href: CDN }, { ...speech, named: ['href'] }, spec)).toBe(CDN);
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
    const more = { path: '/api/open/v1/me', more: { of: ['https://in.example/deep.mp4'] } };
    const spec = { ...SENT, extra: { ...SENT.extra, ...more } };
    const names = { ...lipSync, named: ['data.clip'] };
    expect(linkOf(done({ clip }), names, spec)).toBeUndefined();
    expect(linkOf(done({ clip, resultUrl: RESULT }), names, spec)).toBe(RESULT);
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
    expect(linkOf(done(members), lipSync, SENT)).toBeUndefined();
  });

  it('prefers the name of a result to that of an input', () => {
    expect(linkOf(done({ videoUrl: 'https://cdn.example/preview', result_url: RESULT }), lipSync, SENT)).toBe(RESULT);
    const dub: RowSpec = { kind: 'dub', text: 'Hi', voice: 'v', video: SENT.video ?? '', extra: {} };
    expect(linkOf(done({ videoUrl: RESULT, audioUrl: 'https://cdn.example/speech.mp3' }), lipSync, dub)).toBe(RESULT);
  });

  it.each([
    [{ status: 'success', data: { id: 't1', status: 'queued' } }, 'running'],
    [{ status: 'error', data: { id: 't1' } }, 'running'],
    [{ status: 200, data: { id: 't1' } }, 'running'],
    [{ status: 'error', message: 'internal' }, undefined],
    [{ status: 'FAILURE', message: 'Service busy' }, undefined],
    [{}, undefined],
    [{ code: 'x', message: 'y' }, undefined],
    [[], undefined],
    ['<html>', undefined],
    [undefined, undefined],
  ])('does not take the word of the envelope for that of the job, nor anything for a job: %j', (json, phase) => {
    expect(readJob(json, speech, 't1', BASE)?.phase).toBe(phase);
  });

  it.each([
    [12, 12],
    [-1, undefined],
    [1e300, undefined],
    [1_000_000_001, undefined],
  ])('takes %p credits for a price, unless sums could not be trusted any more', (creditsUsed, credits) => {
    const json = { task: { id: 't1', status: 'completed', audioUrl: CDN }, creditsUsed };
    expect(readJob(json, speech, 't1', BASE)?.credits).toBe(credits);
  });

  it('gives the words of a nested error with its code', () => {
    const json = { id: 't1', status: 'failed', error: { code: 'ERR_VOICE', message: 'the voice is gone' } };
    expect(readJob(json, speech, 't1', BASE)?.error).toBe('the voice is gone (ERR_VOICE)');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(() => readJob(json, lipSync, undefined, BASE)).not.toThrow();
      }),
    );
  });
});
