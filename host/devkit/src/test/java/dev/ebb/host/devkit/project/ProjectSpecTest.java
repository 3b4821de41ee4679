package dev.ebb.host.devkit.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectSpecTest {

  @ParameterizedTest
  @CsvSource({
    "my-policy, MyPolicy, example.mypolicy",
    "two-q, TwoQ, example.twoq",
    "new, New, example.newpolicy",
    "entry, EntryPolicy, example.entry",
    "string, StringPolicy, example.string",
    "set, SetPolicy, example.set"
  })
  void namesClassAndPackageSoThatTheyCompile(String name, String className, String packageName) {
    ProjectSpec spec = spec(name, null);

    assertThat(spec.className()).isEqualTo(className);
    assertThat(spec.packageName()).isEqualTo(packageName);
  }

  @ParameterizedTest
  @ValueSource(strings = {"My", "2q", "a_b", "-a", "a-", "a--b", "", "größe", "../x"})
  void saysWhatANameMustBe(String name) {
    assertThatThrownBy(() -> spec(name, null))
        .hasMessage(
            "'%s' must be lower-case letters, digits and inner dashes, with a letter first, such as"
                + " 'my-policy'",
            name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "auto"})
  void refusesReservedNames(String name) {
    assertThatThrownBy(() -> spec(name, null))
        .hasMessage("'%s' is reserved; choose another name", name);
  }

  @Test
  void refusesNamesThatNoPluginMayHave() {
    assertThat(spec("a".repeat(64), null).name()).hasSize(64);
    assertThatThrownBy(() -> spec("a".repeat(65), null))
        .hasMessage(
            "the name '%s...' has 65 characters, but 64 are allowed; shorten it", "a".repeat(64));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a.", "1a", "com.new.x", ""})
  void refusesWhatIsNoPackage(String name) {
    assertThatThrownBy(() -> spec("x", name))
        .hasMessage("--package: '%s' is not a package name, such as 'com.acme.cache'", name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev.ebb.spi", "dev.ebb", "java.util"})
  void refusesPackagesThatWouldNotBeLoaded(String name) {
    assertThatThrownBy(() -> spec("x", name))
        .hasMessageStartingWith("--package: '" + name + "' is reserved");
  }

  @Test
  void refusesTheScriptForKotlin() {
    assertThatThrownBy(() ->
            ProjectSpec.of(
                "x", ProjectKind.POLICY, null, ProjectBuild.JAVAC, ProjectLanguage.KOTLIN))
        .hasMessage("--build: 'javac' compiles only Java, not 'kotlin'; use maven or gradle");
  }

  private static ProjectSpec spec(String name, @Nullable String packageName) {
    return ProjectSpec.of(
        name, ProjectKind.POLICY, packageName, ProjectBuild.MAVEN, ProjectLanguage.JAVA);
  }
}
