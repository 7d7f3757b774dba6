/**
 * Returns the candidate that a name is probably a typo of, for "did you mean": at most two letters differ, and fewer
 * than half of all, unless they are only transposed. Undefined if there is none.
 */
export function suggestName(name: string, candidates: readonly string[]): string | undefined {
  const nearest = nearestName(name, candidates);
  if (nearest.distance > 2) return undefined;
  const isClose = nearest.distance * 2 < name.length || lettersOf(name) === lettersOf(nearest.name);
  return isClose ? nearest.name : undefined;
}

function lettersOf(name: string): string {
  return Array.from(name.toLowerCase()).sort().join('');
}

/** Returns the candidate with the smallest edit distance to the name; the first of equals wins. */
function nearestName(name: string, candidates: readonly string[]): { name: string; distance: number } {
  // A header may be as long as a cell, and the distance takes quadratic time.
  const lower = name.slice(0, 40).toLowerCase();
  let best = { name: candidates[0] ?? '', distance: Number.POSITIVE_INFINITY };
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < best.distance) best = { name: candidate, distance };
  }
  return best;
}

/** Returns the edit distance of two short texts (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
