package dev.ebb.host.engine.tier;

/** The keys of the pages of a prompt, front to back. Each identifies a page and all before it. */
public interface PageKeys {

  /** Returns the first 64 bits of the key of a page. */
  long low(int page);

  /** Returns the other 64 bits. */
  long high(int page);
}
