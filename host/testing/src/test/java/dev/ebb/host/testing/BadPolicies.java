package dev.ebb.host.testing;

/** Sources of policies that break the contract in one way. */
public final class BadPolicies {

  /** Members of a policy that counts how often in a row its state was carried over. */
  public static final String COUNTS_RESTARTS =
      """
      long learned;
      public int stateFormat() { return 1; }
      public void saveState(java.io.OutputStream out) throws java.io.IOException {
        new java.io.DataOutputStream(out).writeLong(learned + 1);
      }
      public void loadState(java.io.InputStream in) throws java.io.IOException {
        learned = new java.io.DataInputStream(in).readLong();
      }
      """;

  private BadPolicies() {}

  /**
   * Returns a policy, named as its class, that runs statements in every call of {@code victim()}.
   */
  public static String source(String type, String inVictim) {
    return source(type, inVictim, "");
  }

  /** Returns the same with more members; {@code sees} counts entries ever seen. */
  public static String source(String type, String inVictim, String members) {
    return """
    package acme;

    import dev.ebb.spi.*;
    import java.util.*;

    public final class %s implements BlockPolicyProvider {
      public String name() { return "%s"; }

      public BlockPolicy<?> create(PolicyContext context) { return new Policy(context); }

      static class Policy implements BlockPolicy<Policy.Node> {
        final LinkedHashSet<Node> order = new LinkedHashSet<>();
        final PolicyContext context;
        final boolean tested;
        int victims;
        Entry first;

        Policy(PolicyContext context) {
          this.context = context;
          tested = context.partition().equals("self-test");
        }

        static final class Node {
          final Entry entry;
          Node(Entry entry) { this.entry = entry; }
        }

        public Node inserted(Entry entry) {
          if (first == null) { first = entry; }
          Node node = new Node(entry);
          order.add(node);
          held++;
          return node;
        }
        public void accessed(Node node) {}
        public void removed(Node node, RemovalCause cause) { order.remove(node); held--; }
        public void refused(Node node) { order.remove(node); }
        public void released(Node node) { order.add(node); }
        long held;
        public long size() { return held; }

        public Entry victim(Demand demand) {
          victims++;
          if (context != null) {
            %s
          }
          return coldest();
        }

        Entry coldest() { return order.isEmpty() ? null : order.iterator().next().entry; }

        %s
      }
    }
    """
        .formatted(type, type.toLowerCase(java.util.Locale.ROOT), inVictim, members);
  }
}
