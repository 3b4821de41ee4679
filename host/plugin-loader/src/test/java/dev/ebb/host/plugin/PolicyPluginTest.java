package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.PolicyPlugin;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JARs that list their strategies in one class. */
class PolicyPluginTest {

  private static final String LIST =
      """
      package acme;

      import dev.ebb.spi.*;
      import java.util.List;

      public final class All implements PolicyPlugin {
        public List<BlockPolicyProvider> blockPolicies() {
          return List.of(%s);
        }

        static final class Fifo extends QueuedBlockPolicy<Fifo.Node> {
          static final class Node extends EntryQueue.Node<Node> {}

          private final EntryQueue<Node> queue = new EntryQueue<>("queue");

          Fifo(PolicyContext context) { super(context.capacityBlocks(), Node::new); }

          protected void insert(Node node) { queue.moveToHot(node); }

          public void accessed(Node node) {}

          protected Node choose(Demand demand) { return queue.coldest(); }
        }
      }
      """;

  @TempDir private Path home;

  private static PluginJarBuilder listing(String... names) {
    StringBuilder providers = new StringBuilder();
    for (String name : names) {
      providers.append(providers.isEmpty() ? "" : ", ");
      providers.append("BlockPolicyProvider.of(\"%s\", Fifo::new)".formatted(name));
    }
    return PluginJarBuilder.plugin("acme")
        .source("acme.All", LIST.formatted(providers))
        .service(PolicyPlugin.class, "acme.All");
  }

  @Test
  void allListedPoliciesAndSingleProvidersAreLoaded() {
    try (Generation generation =
        Generations.load(listing("one", "two").policy("three"), home, "a.jar")) {
      assertThat(generation.strategies())
          .<String>extracting(Strategy::name)
          .containsExactlyInAnyOrder("one", "two", "three");
    }
  }

  @Test
  void callsUseTheClassLoaderOfThePlugin() {
    try (Generation generation = Generations.load(listing("one"), home, "a.jar")) {
      Strategy<?> one = generation.strategies().getFirst();
      assertThat(one.owner().getClass().getName()).isEqualTo("acme.All");
      assertThat(one.owner().getClass().getClassLoader())
          .isNotSameAs(BlockPolicyProvider.class.getClassLoader());
    }
  }
}
