package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerationTest {

  @TempDir private Path home;

  @Test
  void twoGenerationsOfOnePluginLiveSideBySide() {
    PluginJarBuilder jar = PluginJarBuilder.plugin("acme").policy("lru");
    try (Generation before = Generations.load(jar, home, "a.jar");
        Generation after = Generations.load(jar.version("1.1.0"), home, "b.jar")) {
      assertThat(before.version()).isEqualTo("1.0.0");
      assertThat(after.version()).isEqualTo("1.1.0");
      assertThat(Generations.provider(before).name()).isEqualTo("lru");
      assertThat(Generations.provider(after).name()).isEqualTo("lru");
      assertThat(Generations.provider(before).getClass())
          .isNotSameAs(Generations.provider(after).getClass());
    }
  }

  @Test
  void closingOneGenerationLeavesTheOtherWhole() {
    PluginJarBuilder jar = PluginJarBuilder.plugin("acme").policy("lru");
    Generation before = Generations.load(jar, home, "a.jar");
    try (Generation after = Generations.load(jar, home, "b.jar")) {
      before.close();

      assertThat(Generations.provider(after).create(new NoContext())).isNotNull();
    }
  }

  @Test
  void aPluginSeesOnlyItsOwnResources() {
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme").policy("lru").entry("reference.conf", "lru { a = 1 }");
    try (Generation generation = Generations.load(jar, home, "a.jar")) {
      ClassLoader loader = Generations.provider(generation).getClass().getClassLoader();

      assertThat(loader.resources("reference.conf")).hasSize(1);
      assertThat(loader.getResource("logback.xml")).isNull();
      assertThat(loader.getResource("java/lang/Object.class")).isNull();
    }
  }

  @Test
  void aLibraryInTheJarWinsOverTheHosts() throws Exception {
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .policy("lru")
            .source(
                "com.typesafe.config.Config",
                "package com.typesafe.config; public final class Config {}");
    try (Generation generation = Generations.load(jar, home, "a.jar")) {
      ClassLoader loader = Generations.provider(generation).getClass().getClassLoader();

      assertThat(loader.loadClass("com.typesafe.config.Config").getClassLoader()).isSameAs(loader);
      assertThat(loader.loadClass("java.sql.Connection")).isNotNull();
    }
  }

  @Test
  void aPluginClassIsStartedAndStopped() {
    String source =
        """
        package acme;
        public final class Life extends org.pf4j.Plugin {
          public void start() { System.setProperty("acme.life", "started"); }
          public void stop() { System.setProperty("acme.life", "stopped"); throw new Error("no"); }
        }
        """;
    PluginJarBuilder jar =
        PluginJarBuilder.plugin("acme")
            .policy("lru")
            .compiledAgainst(org.pf4j.Plugin.class)
            .source("acme.Life", source)
            .manifest("Plugin-Class", "acme.Life");

    Generation generation = Generations.load(jar, home, "a.jar");
    assertThat(System.getProperty("acme.life")).isEqualTo("started");
    generation.close();
    assertThat(System.clearProperty("acme.life")).isEqualTo("stopped");
  }
}
