package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginsListCommandTest {

  @TempDir private Path home;
  private Path folder;
  private String config;

  @BeforeEach
  void makeFolder() {
    folder = Configs.plugins(home);
    config = Configs.withPlugins(home).toString();
  }

  /** Made by a shell: the locale of the tests need not have the letter. */
  @Test
  void aNameThatTheLocaleLacksIsReportedAsSuch() throws Exception {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    new ProcessBuilder("sh", "-c", "mv acme.jar \"$(printf '\\303\\251').jar\"")
        .directory(folder.toFile())
        .start()
        .waitFor();

    Map<String, String> ascii = Map.of("LC_ALL", "C");
    try (EbbProcess ebb = EbbProcess.start(home, ascii, "plugins", "list", "--config", config)) {
      assertThat(ebb.exitCode()).isZero();
      assertThat(ebb.output().replaceAll("\\s+", " "))
          .contains(
              ": its name has characters outside the locale of this process (sun.jnu.encoding ="
                  + " 'ANSI_X3.4-1968'); start Ebb with LC_ALL=C.UTF-8, or give the file a name of"
                  + " ASCII letters");
    }
  }

  @Test
  void aTableSaysWhatIsLoadedAndWhyTheRestIsNot() {
    PluginJarBuilder.plugin("acme").policy("lru").policy("two-q").writeTo(folder, "acme.jar");
    PluginJarBuilder.plugin("old").version("1.0").policy("lru").writeTo(folder, "old.jar");
    PluginJarBuilder.plugin("anon").without("Plugin-Id").writeTo(folder, "z.jar");

    Run run = Run.of("plugins", "list", "--config", config);

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().replaceAll("[0-9a-f]{12}", "############"))
        .isEqualToNormalizingNewlines(
            """
            PLUGIN  VERSION  SHA-256       STATE    STRATEGIES
            acme    1.0.0    ############  loaded   lru, two-q
            old     1.0      ############  refused
                old.jar: Plugin-Version '1.0' must be a semantic version, for example '1.0.0'
            -       1.0.0    ############  refused
                z.jar: its manifest has no Plugin-Id; add the plugin's name, for example 'acme-lru'
            """);
  }

  @Test
  void aLongReasonIsWrapped() {
    PluginJarBuilder.plugin("acme").writeTo(folder, "acme.jar");

    Run run = Run.of("plugins", "list", "--config", config);

    assertThat(run.out().lines()).hasSizeGreaterThan(3).allMatch(line -> line.length() <= 100);
  }

  @Test
  void jsonHoldsEverything() {
    PluginJarBuilder.plugin("acme").policy("lru").writeTo(folder, "acme.jar");
    PluginJarBuilder.plugin("anon").without("Plugin-Id").writeTo(folder, "z.jar");

    Run run = Run.of("plugins", "list", "--json", "--config", config);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out().replaceAll("[0-9a-f]{64}", "#"))
        .isEqualToIgnoringNewLines(
            """
            {"folder":"FOLDER","spi":"1.7.0","plugins":[\
            {"file":"FOLDER/acme.jar","id":"acme","version":"1.0.0","sha256":"#","state":"loaded",\
            "strategies":{"policies":["lru"]},"reason":""},\
            {"file":"FOLDER/z.jar","id":null,"version":"1.0.0","sha256":"#","state":"refused",\
            "strategies":{},"reason":"its manifest has no Plugin-Id; add the plugin's name, for\
             example 'acme-lru'"}]}
            """
                .replace("FOLDER", folder.toString()));
  }

  @Test
  void anotherFolderMayBeNamed() {
    Run run = Run.of("plugins", "list", "--config", config, "--folder", home.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .isEqualToIgnoringNewLines("no plugins in '" + home + "'; drop a JAR there");
  }

  @Test
  void aMissingFolderIsTheUsersMistake() {
    Run run = Run.of("plugins", "list", "--config", config, "--folder", home + "/no");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "ebb: there is no plugin folder '%s/no'; create it, or choose another with ebb.plugins.folder"
                .formatted(home));
  }

  @Test
  void everyMistakeInTheConfigurationIsReported() {
    String wrong = Configs.file(home, "a = 1\nb = 2").toString();

    Run run = Run.of("plugins", "list", "--config", wrong);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToNormalizingNewlines(
            """
            ebb: FILE:1: unknown key 'a'; allowed: [ebb]
            ebb: FILE:2: unknown key 'b'; allowed: [ebb]
            """
                .replace("FILE", wrong));
  }
}
