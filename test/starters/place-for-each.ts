import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { startSimulator, type Simulator } from '../../simulator/start-simulator.ts';
import { openCommandLine, type CommandLine } from './command-line.ts';
import { freshPlace, type Place } from '../support/place.ts';

/** A ledger and a store that the command line finds. */
export interface PlaceInvocation {
  readonly place: Place;
  readonly line: CommandLine;
}

interface PlaceOptions {
  /** Settings of an API; default none. */
  readonly api?: () => NodeJS.ProcessEnv;
  /** Checked after each test, before the place is closed. */
  readonly atEnd?: () => Promise<void>;
}

/** A invocation for every test of a file. */
export function placeForEach({ api, atEnd }: PlaceOptions = {}): PlaceInvocation {
  let line: CommandLine | undefined;
  // Jest ends in the order of the file: the place goes last.
  afterEach(async () => {
    try {
      await atEnd?.();
    } finally {
      await line?.close();
    }
  });
  const place = freshPlace();
  beforeEach(async () => {
    line = await openCommandLine({ VOXBATCH_HOME: place.folder, ...api?.() });
  });
  return {
    place,
    get line() {
      if (line === undefined) throw new Error('There is an invocation in a test only.');
      return line;
    },
  };
}

/** The same with a simulator, which all tests of the file share. */
export function placeAtSimulator({ atEnd }: Pick<PlaceOptions, 'atEnd'> = {}): PlaceInvocation & {
  readonly simulator: Simulator;
} {
  let simulator: Simulator | undefined;
  const now = (): Simulator => {
    if (simulator === undefined) throw new Error('There is a simulator in a test only.');
    return simulator;
  };
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator?.close());
  const invocation = placeForEach({
    api: () => ({ VOXBATCH_API_URL: now().url, VOXBATCH_API_TOKEN: now().token }),
    ...(atEnd === undefined ? {} : { atEnd }),
  });
  return {
    place: invocation.place,
    get line() {
      return invocation.line;
    },
    get simulator() {
      return now();
    },
  };
}
