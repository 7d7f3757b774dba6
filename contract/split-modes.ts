export const SPLIT_MODES = ['sentences', 'paragraphs'] as const;
/** `sentences`: as many whole sentences a part as fit. `paragraphs`: a part for each paragraph, so that an edit changes only its own. */
export type SplitMode = (typeof SPLIT_MODES)[number];
