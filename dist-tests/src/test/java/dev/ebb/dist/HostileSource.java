package dev.ebb.dist;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The source of a policy that evicts the oldest entry, with statements put into its methods. */
final class HostileSource {

  private static final Pattern PLACE = Pattern.compile("@(\\w+)@");

  /**
   * {@code @place@} is replaced with statements. Those in the policy's methods run only on real
   * entries, so that the self-test finds nothing; {@code real} is false in the self-test.
   */
  private static final String TEMPLATE =
      """
      package @package@;

      import dev.ebb.spi.*;
      import java.io.*;
      import java.util.*;
      import java.util.concurrent.*;

      public final class Bad implements BlockPolicyProvider {
        static volatile boolean yes = true;
        static { if (yes) { @initializer@ } }
        public Bad() { if (yes) { @constructor@ } }
        public String name() { if (yes) { @name@ } return "@policy@"; }
        public BlockPolicy<?> create(PolicyContext context) {
          if (!context.partition().equals("self-test")) { @create@ }
          if (yes) { @createAlways@ }
          return new Policy(context);
        }

        static void sleepForever() { sleepMillis(Long.MAX_VALUE); }

        static void sleepMillis(long millis) {
          long end = millis == Long.MAX_VALUE ? millis : System.currentTimeMillis() + millis;
          while (System.currentTimeMillis() < end) {
            try { Thread.sleep(20); } catch (InterruptedException ignored) { }
          }
        }

        static void spinMillis(long millis) {
          long end = System.nanoTime() + millis * 1000000;
          while (System.nanoTime() < end) { Thread.onSpinWait(); }
        }

        static void daemon(Runnable run) {
          Thread thread = new Thread(run);
          thread.setDaemon(true);
          thread.start();
        }

        @SuppressWarnings("unchecked")
        static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T { throw (T) thrown; }

        static Entry foreign() {
          return (Entry) java.lang.reflect.Proxy.newProxyInstance(
              Entry.class.getClassLoader(), new Class<?>[] {Entry.class}, (p, m, a) -> null);
        }

        @members@

        static class Policy implements BlockPolicy<Policy.Node> {
          final LinkedHashSet<Node> order = new LinkedHashSet<>();
          final PolicyContext context;
          final boolean real;
          long held;
          int calls;
          Entry first;
          Entry last;
          Node firstNode;
          Request request;

          Policy(PolicyContext context) {
            this.context = context;
            real = !context.partition().equals("self-test");
          }

          static final class Node {
            Entry entry;
            Node(Entry entry) { this.entry = entry; }
          }

          public void began(Request request) { if (real) { @began@ } }
          public void ended(Request request) { if (real) { @ended@ } }
          public Node inserted(Entry entry) {
            if (first == null) { first = entry; }
            last = entry;
            Node node = new Node(entry);
            if (firstNode == null) { firstNode = node; }
            if (real) { @inserted@ }
            order.add(node);
            held++;
            return node;
          }
          public void accessed(Node node) { if (real) { @accessed@ } }
          public Entry victim(Demand demand) {
            calls++;
            if (real) { @victim@ }
            return order.isEmpty() ? null : order.iterator().next().entry;
          }
          public boolean admits(Request request, int index, Node victim) {
            if (real) { @admits@ }
            return true;
          }
          public void removed(Node node, RemovalCause cause) {
            if (real) { @removed@ }
            order.remove(node);
            held--;
          }
          public void refused(Node node) { if (real) { @refused@ } order.remove(node); }
          public void released(Node node) { if (real) { @released@ } order.add(node); }
          public long size() { if (real) { @size@ } return held; }
          public void resized(long capacity) { if (real) { @resized@ } }
          public double score(Node node) { if (real) { @score@ } return 1; }
          public String explain(Node node) { if (real) { @explain@ } return "oldest"; }
          public Map<String, Double> gauges() { if (real) { @gauges@ } return Map.of("held", (double) held); }
          public int stateFormat() { if (real) { @stateFormat@ } return 1; }
          public void saveState(OutputStream out) throws IOException {
            if (real) { @saveState@ }
            out.write(1);
          }
          public void loadState(InputStream in) throws IOException { if (real) { @loadState@ } in.read(); }
          public void close() { if (real) { @close@ } }
        }
      }
      """;

  private HostileSource() {}

  static String of(String packageName, String policy, Map<String, String> statements) {
    Map<String, String> all = new HashMap<>(statements);
    all.put("package", packageName);
    all.put("policy", policy);
    return PLACE
        .matcher(TEMPLATE)
        .replaceAll(place ->
            Matcher.quoteReplacement(String.valueOf(all.getOrDefault(place.group(1), ""))));
  }
}
