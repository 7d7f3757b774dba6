import { clientOf } from '../../api/dialects/dialect-table.ts';
import { describe, expect, it } from '@jest/globals';
import { DIALECT_TABLES } from '../../api/dialects/dialects.ts';
import { PRICE_UNITS } from '../../contract/price-units.ts';
import { RESULT_FACTS } from '../../contract/operations.ts';
import {
  billedMedia,
  boundsOf,
  columnsReadBy,
  isListed,
  kindFactsOf,
  KINDS,
  linkOf,
  makesJob,
  factsOf,
  operationOf,
  OPERATIONS,
  columnsOfKind,
  stepsIn,
  STEPS,
  stepsOf,
} from '../../contract/row-kinds.ts';

describe('the table of operations', () => {
  it.each(OPERATIONS)('%s is on the wire what the table says', (operation) => {
    const { result } = factsOf(operation);
    const { answersJob, answersMedia } = clientOf(DIALECT_TABLES.v1, operation);
    expect(answersJob).toBe(makesJob(operation));
    expect(answersMedia).toBe(!makesJob(operation) && RESULT_FACTS[result].isPlayed);
  });

  it.each(OPERATIONS)(
    '%s carries out a step, and its price can be known from the columns of each kind',
    (operation) => {
      expect(stepsOf(operation)).not.toEqual([]);
      const column = PRICE_UNITS[factsOf(operation).price.unit].reads;
      const kinds = KINDS.filter((kind) =>
        kindFactsOf(kind).steps.some((one) => one.operation === operation && one.checks === undefined),
      );
      for (const { required, optional } of kinds.map((kind) => columnsOfKind(kind)))
        if (column !== null) expect([...required, ...optional]).toContain(column);
    },
  );

  it('lists jobs only', () => {
    expect(OPERATIONS.filter((operation) => isListed(operation) && !makesJob(operation))).toEqual([]);
  });
});

describe('the kinds of rows', () => {
  it.each(KINDS)('%s does its steps in the order in which the ledger reads them, each once', (kind) => {
    const steps = stepsIn({ kind: kind });
    expect(steps).toEqual(STEPS.filter((step) => steps.includes(step)));
  });

  it.each(KINDS)(
    '%s links only to a step before that is always a job, for a column that the operation needs',
    (kind) => {
      const steps = stepsIn({ kind: kind });
      for (const [at, step] of steps.entries()) {
        const link = linkOf(kind, step);
        if (link === undefined) continue;
        expect(steps.slice(0, at)).toContain(link.of);
        expect(
          ['job', 'sync'].map((tts) => makesJob(operationOf({ kind }, link.of, tts === 'job' ? 'job' : 'sync'))),
        ).toEqual([true, true]);
        expect(columnsReadBy(kind, step)).toContain(link.column);
        expect(columnsOfKind(kind).required).not.toContain(link.column);
      }
    },
  );

  it('bill the media that a row names, not those that it makes on the way', () => {
    expect(KINDS.map((kind) => [kind, billedMedia(kind)])).toEqual([
      ['tts', []],
      ['stt', ['audio']],
      ['lip-sync', ['video', 'audio']],
      ['dub', ['video']],
      ['video-dubbing', ['video']],
      ['voice', []],
    ]);
  });

  it('take numbers that each of their operations takes', () => {
    expect(boundsOf('dub', 'speed')).toEqual({ least: 0.5, most: 2 });
    expect(boundsOf('stt', 'duration')).toBeUndefined();
  });

  it('know no step that is not theirs', () => {
    expect(() => operationOf({ kind: 'stt' }, 'speech', 'job')).toThrow('Rows of kind stt have no step speech.');
  });
});
