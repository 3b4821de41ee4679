package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicy;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A closed generation leaves nothing in memory, however its code behaves. */
class UnloadTest {

  private static final int CYCLES = 40;
  private static final int DEADLINE_SECONDS = 30;

  @TempDir private Path home;

  /** What a test keeps of what plugins threw, as the host's logs and lists do. */
  private final List<Exception> kept = new ArrayList<>();

  @Test
  void aGenerationThatWasUsedIsCollected() throws Exception {
    assertAllCollected(PluginJarBuilder.plugin("acme").policy("lru"));
  }

  @Test
  void aGenerationWhosePolicyThrowsInCreateIsCollectedThoughTheFailureIsKept() throws Exception {
    assertAllCollected(
        PluginJarBuilder.plugin("acme")
            .policy("lru", "if (true) { throw new IllegalStateException(\"no\"); }"));

    assertThat(kept)
        .hasSize(CYCLES)
        .allSatisfy(thrown ->
            assertThat(thrown)
                .hasMessage(
                    "create: java.lang.IllegalStateException: no, at"
                        + " acme.LruProvider.create(LruProvider.java:9)")
                .hasNoCause());
  }

  @Test
  void aGenerationWhosePolicyThrowsInCloseIsCollected() throws Exception {
    assertAllCollected(closing("throw new Gone();"));

    assertThat(kept).hasSize(CYCLES);
    assertThat(kept.getFirst().getMessage())
        .startsWith("policy 'lru' failed in close: acme.Bad$Gone: gone, at acme.Bad$");
  }

  @Test
  void aGenerationWhoseThreadEndsInCloseIsCollected() throws Exception {
    assertAllCollected(closing("thread.interrupt();"));
  }

  @Test
  void aGenerationThatSetsAThreadLocalOnAThreadThatEndsIsCollected() throws Exception {
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .policy("lru", "new ThreadLocal<Object>().set(new Policy());");
    Path file = jar.writeTo(home, "a.jar");
    CollectedLoaders loaders = new CollectedLoaders();
    for (int i = 0; i < CYCLES; i++) {
      Thread thread = Thread.ofPlatform().start(() -> cycle(file, loaders));
      thread.join();
    }
    loaders.assertAllCollected();
  }

  @Test
  void aRefusedGenerationIsCollectedThoughTheRefusalIsKept() throws Exception {
    Path file = refusedAfterItsCodeRan().writeTo(home, "a.jar");
    Set<Reference<?>> open = new HashSet<>();
    for (int i = 0; i < CYCLES; i++) {
      try {
        Generations.load(file, home).close();
      } catch (PluginRefusal refusal) {
        kept.add(refusal);
      }
      open.add((Reference<?>) System.getProperties().remove("acme.loader"));
    }

    assertThat(kept).hasSize(CYCLES);
    long deadline = deadline();
    while (open.stream().anyMatch(loader -> !loader.refersTo(null)) && now() < deadline) {
      System.gc();
    }
    assertThat(open).allMatch(loader -> loader.refersTo(null));
  }

  private void assertAllCollected(PluginJarBuilder jar) throws InterruptedException {
    Path file = jar.writeTo(home, "a.jar");
    CollectedLoaders loaders = new CollectedLoaders();
    for (int i = 0; i < CYCLES; i++) {
      cycle(file, loaders);
    }
    loaders.assertAllCollected();
  }

  private void cycle(Path file, CollectedLoaders loaders) {
    try (Generation generation = Generations.load(file, home)) {
      try {
        BlockPolicy<?> policy =
            PluginCall.call(
                Generations.provider(generation),
                "create",
                () -> Generations.provider(generation).create(new NoContext()));
        PluginCall.close(policy, "policy 'lru'");
      } catch (PluginFailure failure) {
        kept.add(failure);
      }
      loaders.add(Generations.provider(generation));
    }
  }

  private static long deadline() {
    return now() + DEADLINE_SECONDS * 1_000_000_000L;
  }

  private static long now() {
    return System.nanoTime();
  }

  private static PluginJarBuilder refusedAfterItsCodeRan() {
    return PluginJarBuilder.plugin("acme")
        .provider(
            "acme.Bad",
            """
            package acme;
            import dev.ebb.spi.*;
            public final class Bad implements BlockPolicyProvider {
              public String name() {
                Object loader = new java.lang.ref.WeakReference<>(Bad.class.getClassLoader());
                System.getProperties().put("acme.loader", loader);
                throw new IllegalStateException("no");
              }
              public BlockPolicy<?> create(PolicyContext context) { return null; }
            }
            """);
  }

  private static PluginJarBuilder closing(String body) {
    return PluginJarBuilder.plugin("acme")
        .provider(
            "acme.Bad",
            """
            package acme;
            import dev.ebb.spi.*;
            public final class Bad implements BlockPolicyProvider {
              public String name() { return "lru"; }
              public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

              static final class Policy extends RankedBlockPolicy {
                private final Thread thread = Thread.ofPlatform().daemon().start(this::sleep);

                protected double rank(Entry entry) { return 0; }

                private void sleep() {
                  try {
                    Thread.sleep(100);
                  } catch (InterruptedException end) {
                    return;
                  }
                }

                public void close() { %s }
              }

              static final class Gone extends RuntimeException {
                Gone() { super("gone"); }
              }
            }
            """
                .formatted(body));
  }
}
