package dev.ebb.host.devkit.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    ProjectSpec spec = ProjectSpec.of(name, ProjectKind.POLICY, null, ProjectBuild.MAVEN);

    assertThat(spec.className()).isEqualTo(className);
    assertThat(spec.packageName()).isEqualTo(packageName);
  }

  @ParameterizedTest
  @ValueSource(strings = {"My", "2q", "a_b", "-a", "a-", "a--b", "", "größe", "../x"})
  void saysWhatANameMustBe(String name) {
    assertThatThrownBy(() -> ProjectSpec.of(name, ProjectKind.POLICY, null, ProjectBuild.MAVEN))
        .hasMessage(
            "'%s' must be lower-case letters, digits and inner dashes, with a letter first, such as"
                + " 'my-policy'",
            name);
  }

  @Test
  void refusesTheReservedName() {
    assertThatThrownBy(() -> ProjectSpec.of("none", ProjectKind.POLICY, null, ProjectBuild.MAVEN))
        .hasMessage("'none' is reserved; choose another name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a.", "1a", "com.new.x", ""})
  void refusesWhatIsNoPackage(String name) {
    assertThatThrownBy(() -> ProjectSpec.of("x", ProjectKind.POLICY, name, ProjectBuild.MAVEN))
        .hasMessage("--package: '%s' is not a package name, such as 'com.acme.cache'", name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev.ebb.spi", "dev.ebb", "java.util"})
  void refusesPackagesThatWouldNotBeLoaded(String name) {
    assertThatThrownBy(() -> ProjectSpec.of("x", ProjectKind.POLICY, name, ProjectBuild.MAVEN))
        .hasMessageStartingWith("--package: '" + name + "' is reserved");
  }
}
