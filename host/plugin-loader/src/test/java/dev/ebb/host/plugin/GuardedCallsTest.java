package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicyProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedCallsTest {

  private static final String CLASS = "acme/EndsProvider.class";

  @TempDir private Path home;

  /** Defines one class from its bytes. */
  private static final class Loader extends ClassLoader {

    Loader() {
      super(BlockPolicyProvider.class.getClassLoader());
    }

    BlockPolicyProvider provider(byte[] classFile) throws ReflectiveOperationException {
      return (BlockPolicyProvider)
          defineClass(null, classFile, 0, classFile.length).getConstructor().newInstance();
    }
  }

  private byte[] compiled(String inCreate) throws IOException {
    Path jar = PluginJarBuilder.plugin("acme").policy("ends", inCreate).writeTo(home, "acme.jar");
    try (JarFile file = new JarFile(jar.toFile());
        InputStream in = file.getInputStream(file.getJarEntry(CLASS))) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System.exit(0);",
        "Runtime.getRuntime().exit(0);",
        "Runtime.getRuntime().halt(0);",
        "java.util.function.IntConsumer end = System::exit; end.accept(0);",
        "java.util.function.IntConsumer end = Runtime.getRuntime()::halt; end.accept(0);",
        "long a = 1L; double b = 2.0; System.out.println(a + b); System.exit(0);"
      })
  void aCallThatEndsTheProcessThrows(String call) throws Exception {
    byte[] changed = Objects.requireNonNull(GuardedCalls.replaced(compiled(call)));

    BlockPolicyProvider provider = new Loader().provider(changed);
    assertThat(provider.name()).isEqualTo("ends");
    assertThatThrownBy(() -> provider.create(new NoContext()))
        .isInstanceOf(SecurityException.class)
        .hasMessageStartingWith("a plugin must not end the process");
  }

  @Test
  void otherClassesDoNotChange() throws IOException {
    assertThat(GuardedCalls.replaced(compiled("System.gc(); Runtime.getRuntime().freeMemory();")))
        .isNull();
  }

  @Test
  void damagedClassesAreLeftToTheJvm() throws IOException {
    byte[] whole = compiled("System.exit(0);");
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      for (int j = random.nextInt(4); j >= 0; j--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      assertThatCode(() -> GuardedCalls.replaced(damaged)).doesNotThrowAnyException();
    }
    assertThat(GuardedCalls.replaced(new byte[0])).isNull();
  }
}
