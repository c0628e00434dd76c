/** Places that were jumped to, with a way back and forward, as in a browser. */
const MOST = 100;

export class PlaceHistory {
  private back: number[] = [];
  private ahead: number[] = [];

  get canGoBack(): boolean {
    return this.back.length > 0;
  }
  get canGoForward(): boolean {
    return this.ahead.length > 0;
  }

  /** A jump away from `from`. Jumping to where one is, or twice from the same place, leaves one entry. */
  leave(from: number, to: number): void {
    if (from === to) return;
    if (this.back.at(-1) !== from) this.back.push(from);
    if (this.back.length > MOST) this.back.shift();
    this.ahead = [];
  }

  goBack(from: number): number | undefined {
    const to = this.back.pop();
    if (to !== undefined) this.ahead.push(from);
    return to;
  }

  goForward(from: number): number | undefined {
    const to = this.ahead.pop();
    if (to !== undefined) this.back.push(from);
    return to;
  }
}
