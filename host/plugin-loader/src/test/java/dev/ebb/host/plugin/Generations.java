package dev.ebb.host.plugin;

import dev.ebb.host.plugin.jar.JarContent;
import dev.ebb.host.plugin.jar.StagedJar;
import dev.ebb.host.plugin.jar.Staging;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicyProvider;
import java.nio.file.Path;

/** Loads generations without a plugin folder. */
final class Generations {

  private Generations() {}

  static Generation load(PluginJarBuilder jar, Path home, String fileName) {
    return load(jar.writeTo(home, fileName), home);
  }

  static Generation load(Path jar, Path home) {
    StagedJar staged = Staging.in(home.resolve("run")).stage(jar);
    return Generation.load(staged, JarContent.read(staged.copy()), new LoaderWatch());
  }

  static BlockPolicyProvider provider(Generation generation) {
    return (BlockPolicyProvider) generation.strategies().getFirst().provider();
  }
}
