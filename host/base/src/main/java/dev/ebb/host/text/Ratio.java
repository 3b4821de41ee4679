package dev.ebb.host.text;

/** A part of a whole, both counted since the start. */
public record Ratio(long part, long whole) {

  /** Returns 0 to 1; NaN if nothing was counted. */
  double share() {
    return whole > 0 ? (double) part / whole : Double.NaN;
  }

  Ratio since(Ratio before) {
    return new Ratio(part - before.part, whole - before.whole);
  }
}
