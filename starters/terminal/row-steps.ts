import type { RowExplanation } from '../../client/rows/explain.ts';
import type { PartsStep, RowNext, RowStep } from '../../client/rows/row-steps.ts';
import { voiceAwaited } from '../../client/rows/row-view.ts';
import { isoTime } from '../../contract/times.ts';
import { formatPartCount } from '../../contract/row-parts.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { commandLine, unnamedRows, form } from './words.ts';
import { ALSO_OTHERS, OTHER_INPUT, splitWords, editWords, settleWords, uncheckedWords } from './next-steps.ts';
import { pauseWords } from './pause-words.ts';
import { oneLine } from './table.ts';

/**
 * Returns what the user can do about a row, with commands: about its current state, and about earlier takes that may
 * have been charged.
 */
export function nextForRow({ step, earlier }: RowNext, row: RowExplanation): string {
  if (earlier === undefined) return rowStepWords(step, row);
  return (
    `${rowStepWords(step, row)}. An earlier request (${earlier.takes.map(shellWord).join(', ')}) may also have been charged. If your account shows no job for it: ` +
    `${commandLine(earlier.free)}. If it shows one: ${commandLine(earlier.adopt)}`
  );
}

/** Returns what a blocked row waits for: `voice "Ada", which row 3 makes`. */
export function awaitedWords(row: Parameters<typeof voiceAwaited>[0]): string {
  const { voice, isTraining, maker } = voiceAwaited(row);
  const by = maker === null ? '' : `, which row ${String(maker)} makes`;
  return isTraining ? `voice ${oneLine(voice)}${by}: it may still be in training` : `voice "${oneLine(voice)}"${by}`;
}

function rowStepWords(step: RowStep, { row, lost, parts }: RowExplanation): string {
  switch (step.why) {
    case 'removed':
      return 'It cannot be run again: what it asked for was removed.';
    case 'parts-there':
      return `All its ${formatPartCount(parts.length)} are there and stay. Once the cause is mended, join them again, free: ${commandLine(step.free)}`;
    case 'parts-lacking':
      return [
        ...step.steps.map((group) => `${formatPartCount(group.rows.count)} ${partsStepWords(group)}`),
        ...(step.areSomeThere ? ['What is there stays, and costs nothing again'] : []),
      ].join('. ');
    case 'file-lost-free':
      return `Its stored file is ${lost?.is ?? 'lost'}. Get it again, free: ${commandLine(step.free)}${row.outcome === 'unfit' ? '. Then accept it, or pay for another one' : ''}`;
    case 'file-lost':
      return `Its stored file is ${lost?.is ?? 'lost'}, and no job can be read for it. If you have a backup of the store, restore the file. Otherwise make it again, at its price: ${commandLine(step.pay)}`;
    case 'done': {
      const write = step.write === undefined ? '' : ` Write its files with: ${commandLine(step.write)}.`;
      const back =
        step.back === undefined
          ? ''
          : `. To have the result of take ${String(step.back.take)} instead, free: ${commandLine(step.back.free)}`;
      return `It has its result.${write} To replace it, at a new price: ${commandLine(step.pay)}${back}`;
    }
    case 'gone':
      return `Its result was paid for, and no job can be read for it again. Make it again, at its price: ${commandLine(step.pay)}`;
    case 'fetchable': {
      const named = step.isLinkUnknown
        ? 'If one of the members in its answer is the link to the result, set resultMember in voxbatch.config.json to its name, and restart what works in the background (up, worker). '
        : '';
      const before = step.steps.map((name) => ` (if it is its ${name} that is gone: --step ${name})`).join('');
      return `The job was paid for. ${named}Fetch its result again, free: ${commandLine(step.free)}. To pay for another one: ${commandLine(step.pay)}${before}`;
    }
    case 'unchecked':
      return `It has ${uncheckedWords({ count: 1, first: [row] }, step)}`;
    case 'lost': {
      const look =
        step.look === undefined
          ? 'The API has no list to look the request up in.'
          : `Find out what became of the request, free: ${commandLine(step.look)}.`;
      return `${look} voxbatch does not send it again on its own, because that could be charged twice. ${settleWords(step.rows, step)}`;
    }
    case 'too-long':
      return `The refused request was not charged. ${splitWords(step.anew, 'it')}`;
    case 'refused-part':
      return `The refused request was not charged. ${editWords(step.anew, 'its text')}. If the text was not the cause, and that is mended: ${commandLine(step.pay)}`;
    case 'refused-job':
      return `The refused request was not charged. ${OTHER_INPUT}. If the input was not the cause, and that is mended: ${commandLine(step.pay)}`;
    case 'failed-job':
      return `Send it again, at its price: ${commandLine(step.pay)}. ${OTHER_INPUT}`;
    case 'refused':
      return `The refused request was not charged. Fix its cells in ${shellWord(step.file)}, then: ${commandLine(step.pay)}${step.isMixed ? ALSO_OTHERS : ''}`;
    case 'voice-there':
      return `Send it now, at its price: ${commandLine(step.pay)}`;
    case 'voiceless':
      return `Row ${String(step.maker)} makes its voice: ${commandLine(step.explain)}. Once that row has succeeded, this one goes on by itself.`;
    case 'cancelled':
    case 'failed-part':
      return `Send it again, at its price: ${commandLine(step.pay)}`;
    case 'failed':
      return `Send it again, at its price: ${commandLine(step.pay)}. To change it first: edit ${shellWord(step.file)}, then: ${commandLine(step.edited)}${step.isMixed ? ALSO_OTHERS : ''}`;
    case 'overdue':
      return `The job was paid for and is still at the API. Wait for it again, free: ${commandLine(step.free)}. To pay for another one: ${commandLine(step.pay)}`;
    case 'not-chosen':
      return `It was not chosen so far. Send it: ${commandLine(step.pay)}. To send all such rows: ${commandLine(step.all)}`;
    case 'stored':
      return `The store has its result, from before the restore. To find out how it is given that, free: ${commandLine(step.free)}`;
    case 'not-cached':
      return `Pay for it: ${step.before === undefined ? '' : `${commandLine(step.before)}, then: `}${commandLine(step.pay)}`;
    case 'over-budget':
      return step.before === undefined
        ? `The budget is sufficient now: ${commandLine(step.pay)}`
        : `Raise the budget (${commandLine(step.before)}), then: ${commandLine(step.pay)}`;
    case 'unfit':
      return `Its result is kept${row.partOf === null ? '' : ', in the file that is named above'}. Accept it as it is, free: ${commandLine(step.free)}. To pay for ${step.paysOnlyCheck ? 'its verification alone' : 'another one'}: ${commandLine(step.pay)}`;
    case 'paused':
      return pauseWords(step.pause);
    case 'deserted':
      return `The batch has no worker. Continue with: ${commandLine(step.goOn)}`;
    case 'in-parts':
      return `It waits for its ${formatPartCount(row.parts ?? 0)}, and is joined then. It goes on by itself.`;
    case 'blocked':
      return `It waits for ${awaitedWords(row)}. It goes on by itself; nothing is sent before.`;
    case 'running':
      return `It is in progress. ${jobWords(step.job)}If the batch has no worker, continue with: ${commandLine(step.goOn)}`;
  }
}

/** Returns how long a running job is waited for, and how to end that; empty if none runs. */
function jobWords(job: Extract<RowStep, { readonly why: 'running' }>['job']): string {
  if (job === undefined) return '';
  return (
    `Its job is waited for until ${isoTime(job.deadline)}; then the row ends overdue. To end that now, with all rows that have not ended: ${commandLine(job.stop)}. ` +
    `Either way the job can be fetched later, free: ${commandLine(job.fetch)}. `
  );
}

/** Returns what the user can do about some parts of a row; the text follows their number. */
function partsStepWords(step: PartsStep): string {
  const { count } = step.rows;
  const more = unnamedRows(step.rows);
  switch (step.why) {
    case 'unchecked':
      return `with ${uncheckedWords(step.rows, step)}`;
    case 'lost':
      return `may have been charged. ${settleWords(step.rows, step)}`;
    case 'late':
      return `with a job that is paid for and still runs. Wait for it again, free: ${commandLine(step.free)}${more}`;
    case 'gone':
      return `whose result was paid for but could not be fetched. Try again, free: ${commandLine(step.free)}${more}`;
    case 'unfit':
      return (
        `with a result that failed a check, which is kept. To accept ${form(count, 'it as it is', 'them as they are')}, free: ` +
        `${commandLine(step.free)}. To pay for ${form(count, 'it', 'them')} again: ${commandLine(step.pay)}`
      );
    case 'too-long':
      return `longer than the API takes, not charged. ${splitWords(step.anew, form(count, 'it', 'them'))}`;
    case 'refused':
      return (
        `refused by the API, not charged. ${editWords(step.anew, form(count, 'its text', 'their text'))}. ` +
        `If the text was not the cause, and that is mended: ${commandLine(step.pay)}`
      );
    case 'others':
      return `to send again, at ${form(count, 'its', 'their')} price: ${commandLine(step.pay)}`;
  }
}
