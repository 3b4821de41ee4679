package dev.ebb.host.testing;

/**
 * A policy {@code bad} that passes the self-test, and throws once active when an entry is used
 * again.
 */
public final class FailsWhenActive {

  /** The source of its provider, {@code bad.Bad}. */
  public static final String SOURCE =
      """
      package bad;

      import dev.ebb.spi.*;

      public final class Bad implements BlockPolicyProvider {
        public String name() { return "bad"; }

        public BlockPolicy<?> create(PolicyContext context) {
          boolean tested = context.partition().equals("self-test");
          return new RankedBlockPolicy() {
            protected double rank(Entry entry) {
              if (!tested && entry.accesses() > 1) {
                throw new IllegalStateException("not here");
              }
              return entry.accesses();
            }
          };
        }
      }
      """;

  private FailsWhenActive() {}
}
