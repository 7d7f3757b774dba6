import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, it } from '@jest/globals';
import { findTracer, type Tracer } from '../../../worker/traces/opentelemetry.ts';
import { traceEvents } from '../../../worker/traces/trace-events.ts';
import { tts } from '../../activities/rows.ts';
import { createWorld } from '../../activities/world.ts';

const TEXT = 'Rhubarb, said the heron.';

afterEach(() => {
  trace.disable();
});

/** The tracer of an SDK that was registered as a user does it, and what it exports. */
function registered(): { readonly tracer: Tracer; readonly exported: InMemorySpanExporter } {
  const exported = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exported)] }));
  const tracer = findTracer('test');
  if (tracer === undefined) throw new Error('The registered SDK was not found.');
  return { tracer, exported };
}

it('there is no tracer where no SDK is registered', () => expect(findTracer('test')).toBeUndefined());

it('a batch is a span, in it its rows, in these their requests and downloads, with ids and no text', async () => {
  const { tracer, exported } = registered();
  const world = await createWorld({
    rules: [
      { on: 'create', match: { nth: 1 }, fault: { kind: 'status', status: 400 } },
      { on: 'download', fault: 'cut', times: 1 },
    ],
  });
  await world.fill([tts(TEXT), tts(TEXT)]);
  const observe = traceEvents(tracer, world.simulator.url);
  await (await world.worker({ change: () => ({ observe }) })).work();

  const spans = exported.getFinishedSpans();
  const named = (name: string): readonly ReadableSpan[] => spans.filter((span) => span.name === name);
  const [batch] = named('batch');
  expect(batch?.parentSpanContext).toBeUndefined();
  expect(batch?.attributes).toMatchObject({ 'voxbatch.batch': 'b', 'voxbatch.rows': 2, 'voxbatch.then': 'idle' });
  const rows = named('row');
  expect(rows.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    rows.map(() => batch?.spanContext().spanId),
  );
  expect(rows.map(({ attributes }) => attributes['voxbatch.outcome']).sort()).toEqual(['failed', 'succeeded']);
  const failed = rows.find(({ attributes }) => attributes['voxbatch.outcome'] === 'failed');
  expect(failed).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'BadRequest' } });
  expect(rows.flatMap(({ events }) => events.map(({ name }) => name))).toContain('poll');

  const requests = named('POST speech-job');
  expect(requests).toHaveLength(2);
  const refused = requests.find(({ parentSpanContext }) => parentSpanContext?.spanId === failed?.spanContext().spanId);
  expect(refused).toMatchObject({
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 400,
      'error.type': 'BadRequest',
    },
  });
  const downloads = named('download');
  expect(downloads.map(({ attributes }) => attributes['error.type'] ?? 'stored').sort()).toEqual([
    'download',
    'stored',
  ]);
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
  const all = JSON.stringify(spans.map(({ name, attributes, events }) => ({ name, attributes, events })));
  for (const secret of ['Rhubarb', world.simulator.token, 'http:', '/media']) expect(all).not.toContain(secret);
});

it('an SDK that throws ends no work', () => {
  const broken: Tracer = {
    startSpan: () => {
      throw new Error('broken');
    },
  };
  const observe = traceEvents(broken, 'http://api.example/api/open/v1');
  expect(() => {
    observe({ type: 'lane', batch: 'b', lane: 1, is: 'taken' });
  }).not.toThrow();
});
