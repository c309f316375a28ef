/** Finds the longest end of a text that may be the start of a word, by the algorithm of Knuth, Morris and Pratt. */
export class PartialMatch {
  /** For each prefix of the word, the length of its longest proper suffix that is also a prefix. */
  private readonly fallback: Uint32Array;

  constructor(private readonly word: Buffer) {
    this.fallback = new Uint32Array(word.length);
    for (let at = 1, length = 0; at < word.length; at++) {
      while (length > 0 && word[at] !== word[length]) length = this.fallback[length - 1];
      if (word[at] === word[length]) length += 1;
      this.fallback[at] = length;
    }
  }

  /** The length of the longest suffix of the text that is a prefix of the word, but not the whole word. */
  at(text: Buffer): number {
    const { word, fallback } = this;
    let length = 0;
    for (let at = Math.max(0, text.length - word.length + 1); at < text.length; at++) {
      while (length > 0 && text[at] !== word[length]) length = fallback[length - 1];
      if (text[at] === word[length]) length += 1;
      if (length === word.length) length = fallback[length - 1];
    }
    return length;
  }

  /** Whether a part of this length is too much to reveal. A shorter one occurs in too many innocent texts. */
  isTelling(length: number): boolean {
    return length >= Math.min(8, Math.ceil(this.word.length / 2));
  }
}
