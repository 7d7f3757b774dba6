import { expect, it } from '@jest/globals';
import { VoxbatchError } from '../../../client/problem.ts';
import { decideRunStart } from '../../../client/run/run-start.ts';

type Facts = Parameters<typeof decideRunStart>[0];

const place = new VoxbatchError({ type: 'linked-out', path: '/out' });
const disk = new VoxbatchError({ type: 'machine', cause: new Error('EIO') });
const name = { batch: { name: 'b' } };
const planned = { type: 'new' } as Facts['planned'];
const taken = { type: 'taken', name } as unknown as Facts['planned'];
const decision = (type: 'go' | 'ask'): Facts['decision'] => ({ type, notes: [] });
const refused: Facts['decision'] = { type: 'refuse', why: 'small-budget', notes: [] };
const all: Facts = { placeProblem: place, planned: taken, decision: refused };

it.each<[string, Facts, object]>([
  ['the place before all else', all, { type: 'refuse', why: 'place', problem: place }],
  ['the name before the bill', { ...all, placeProblem: undefined }, { type: 'refuse', why: 'taken', name }],
  ['the bill', { placeProblem: undefined, planned, decision: refused }, { why: 'spend', spend: 'small-budget' }],
  ['nothing, if only a disk cannot be read', { placeProblem: disk, planned, decision: decision('go') }, { type: 'go' }],
  ['nothing, and asks', { placeProblem: undefined, planned, decision: decision('ask') }, { type: 'ask' }],
])('run refuses %s', (_, facts, expected) => expect(decideRunStart(facts)).toMatchObject(expected));
