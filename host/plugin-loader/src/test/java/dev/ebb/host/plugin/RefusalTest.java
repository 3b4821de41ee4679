package dev.ebb.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.config.Configs;
import dev.ebb.host.config.PluginFolderTest;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests every mistake of a JAR, and its message. */
class RefusalTest extends PluginFolderTest {

  private static final String SERVICE = "META-INF/services/dev.ebb.spi.BlockPolicyProvider";

  private static final String NOT_PUBLIC =
      SERVICE
          + ": acme.Bad is not a public class; declare it public, and give it a public constructor"
          + " without parameters, or none";

  private static final String CUT_OFF =
      "; it is truncated or not a JAR: copy it again, or build it again";

  private PluginHost host;

  @BeforeEach
  void makeHost() {
    host = new PluginHost(Configs.defaults(home).config());
  }

  @AfterEach
  void unload() {
    host.close();
  }

  /** Whatever the mask for new files is. */
  private static void mine(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  @Test
  void noJar() throws IOException {
    mine(Files.writeString(folder.resolve("x.jar"), "this is no JAR"));

    assertThat(reason())
        .isEqualTo("it cannot be read as a JAR: zip END header not found" + CUT_OFF);
  }

  @Test
  void anEmptyFile() throws IOException {
    mine(Files.createFile(folder.resolve("x.jar")));

    assertThat(reason()).isEqualTo("it cannot be read as a JAR: zip file is empty" + CUT_OFF);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.05, 0.5, 0.95, 0.999})
  void aJarThatIsCutOff(double share) throws IOException {
    Path jar = good().writeTo(folder, "x.jar");
    byte[] whole = Files.readAllBytes(jar);
    mine(Files.write(jar, Arrays.copyOf(whole, (int) (share * whole.length))));

    assertThat(reason()).startsWith("it cannot be read as a JAR: ").endsWith(CUT_OFF);
  }

  @Test
  void aClassFileThatIsCutOff() throws IOException {
    Path jar = good().writeTo(folder, "x.jar");
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      try (Stream<Path> files = Files.walk(inside.getPath("/"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
          Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 100));
        }
      }
    }
    mine(jar);

    assertThat(reason())
        .contains("a class file is damaged (java.lang.ClassFormatError: ")
        .endsWith("); build the JAR again, or copy it again");
  }

  @Test
  void noManifest() {
    assertThat(reason(good().withoutManifest()))
        .isEqualTo(
            "it has no META-INF/MANIFEST.MF; add one with Plugin-Id, Plugin-Version and"
                + " Plugin-Requires");
  }

  @Test
  void noId() {
    assertThat(reason(good().without("Plugin-Id")))
        .isEqualTo("its manifest has no Plugin-Id; add the plugin's name, for example 'acme-lru'");
  }

  @Test
  void anIdWithSpaces() {
    assertThat(reason(good().manifest("Plugin-Id", "a b")))
        .isEqualTo("Plugin-Id 'a b' must be letters, digits, dots, dashes and underscores");
  }

  @Test
  void noVersion() {
    assertThat(reason(good().without("Plugin-Version")))
        .isEqualTo(
            "its manifest has no Plugin-Version; add a semantic version, for example '1.0.0'");
  }

  @Test
  void aVersionThatIsNotSemantic() {
    assertThat(reason(good().version("1.0")))
        .isEqualTo("Plugin-Version '1.0' must be a semantic version, for example '1.0.0'");
  }

  @Test
  void noRequires() {
    String expected =
        "its manifest has no Plugin-Requires; add the versions of dev.ebb.spi it works with, for"
            + " example '>=1.7.0 & <2.0.0'";

    assertThat(reason(good().without("Plugin-Requires"))).isEqualTo(expected);
    assertThat(reason(good().manifest("Plugin-Requires", " "))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0.0", "1", "*", ">=1.0.0", "<2.0.0", ">=1.0.0 | <2.0.0", "!=1.7.0"})
  void anUnboundedRange(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range)))
        .isEqualTo(
            "Plugin-Requires '%s' must be a range bounded on both sides, for example"
                + " '>=1.7.0 & <2.0.0'",
            range);
  }

  @ParameterizedTest
  @ValueSource(strings = {">=1.0.0 & <<", "latest", ">=1.0.0, <2.0.0"})
  void aMalformedRange(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range)))
        .isEqualTo(
            "Plugin-Requires '%s' cannot be read as a range; write for example '>=1.7.0 & <2.0.0'",
            range);
  }

  @ParameterizedTest
  @ValueSource(strings = {">=0.1.0 & <0.2.0", ">=1.8.0 & <2.0.0", ">=2.0.0 & <3.0.0"})
  void aRangeThatExcludesThisHost(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range)))
        .isEqualTo(
            "Plugin-Requires '%s' excludes dev.ebb.spi 1.7.0, which is running; use a build of the"
                + " plugin for it, or build it again with ebb-spi 1.7.0 and write"
                + " '>=1.7.0 & <2.0.0'",
            range);
  }

  @ParameterizedTest
  @ValueSource(strings = {">=2.0.0 & <1.0.0", ">1.0.0 & <1.0.0", "1.x & 2.x"})
  void aRangeWithNothingInIt(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range)))
        .isEqualTo(
            "Plugin-Requires '%s' contains no version; write for example" + " '>=1.7.0 & <2.0.0'",
            range);
  }

  @ParameterizedTest
  @ValueSource(strings = {">1.0.0 & <1.7.0", "2.x", "~3.1", "2 - 3"})
  void aRangeOfOtherVersionsIsNotEmpty(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range)))
        .startsWith("Plugin-Requires '" + range + "' excludes dev.ebb.spi 1.7.0, which is running");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Plugin-Id: acme", "Plugin-Version: 1.0.0", "Plugin-Requires: 1.x"})
  void aLastLineOfTheManifestWithoutALineEnd(String line) throws IOException {
    String name = line.split(":", 2)[0];
    Path jar = good().without(name).writeTo(folder, "x.jar");
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      Path manifest = inside.getPath("META-INF/MANIFEST.MF");
      Files.writeString(manifest, Files.readString(manifest).strip() + "\n" + line);
    }
    mine(jar);

    assertThat(reason())
        .isEqualTo(
            "its manifest has no %s (the file contains it, but the last line of a manifest needs"
                + " a line end)",
            name);
  }

  @Test
  void allMistakesAreReportedTogether() {
    assertThat(
            reason(
                good()
                    .without("Plugin-Id")
                    .version("1.0")
                    .manifest("Plugin-Requires", "*")
                    .manifest("Plugin-Dependencies", "other@1.0.0")
                    .bundling(BlockPolicy.class)))
        .isEqualTo(
            "its manifest has no Plugin-Id; add the plugin's name, for example 'acme-lru'. Also:"
                + " Plugin-Version '1.0' must be a semantic version, for example '1.0.0'. Also:"
                + " Plugin-Requires '*' must be a range bounded on both sides, for example '>=1.7.0"
                + " & <2.0.0'. Also: Plugin-Dependencies is not supported: pack what the plugin"
                + " needs into its JAR. Also: it contains the classes of dev.ebb.spi; leave"
                + " dev/ebb/spi out of the JAR (in Maven: declare ebb-spi with scope 'provided')"
                + " and build it again");
  }

  @ParameterizedTest
  @ValueSource(strings = {"^1.0.0", "~1.7.0", "1.7.x", "1.x", "=1.7.0", "1.0.0 - 1.7.9"})
  void otherBoundedRangesAreFine(String range) {
    assertThat(reason(good().manifest("Plugin-Requires", range))).isEmpty();
  }

  @Test
  void dependenciesOnOtherPlugins() {
    assertThat(reason(good().manifest("Plugin-Dependencies", "other@1.0.0")))
        .isEqualTo("Plugin-Dependencies is not supported: pack what the plugin needs into its JAR");
  }

  @Test
  void classesOfOtherJars() {
    assertThat(reason(good().manifest("Class-Path", "/tmp/other.jar")))
        .isEqualTo("Class-Path is not supported: pack what the plugin needs into its JAR");
  }

  @Test
  @Timeout(60)
  void aLinkToAPipe() throws Exception {
    Path pipe = home.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor())
        .isZero();
    Files.createSymbolicLink(folder.resolve("x.jar"), pipe);

    assertThat(reason()).contains("pipe").contains("put a JAR file in its place");
  }

  @Test
  void aFileOfMoreThanIsCopied() throws IOException {
    Path large = folder.resolve("x.jar");
    try (FileChannel file =
        FileChannel.open(large, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(1), 300L << 20);
    }
    mine(large);

    assertThat(reason()).contains("it has 300").contains("at most 256 MiB");
  }

  @Test
  void theContractInsideTheJar() {
    assertThat(reason(good().bundling(BlockPolicy.class)))
        .isEqualTo(
            "it contains the classes of dev.ebb.spi; leave dev/ebb/spi out of the JAR (in Maven:"
                + " declare ebb-spi with scope 'provided') and build it again");
  }

  @Test
  void noProvider() {
    assertThat(reason(PluginJarBuilder.plugin("acme")))
        .isEqualTo(
            "it offers no strategy: no provider is listed in any of"
                + " META-INF/services/dev.ebb.spi.PolicyPlugin,"
                + " META-INF/services/dev.ebb.spi.BlockPolicyProvider,"
                + " META-INF/services/dev.ebb.spi.TokenPolicyProvider,"
                + " META-INF/services/dev.ebb.spi.TokenBudgetProvider,"
                + " META-INF/services/dev.ebb.spi.LifetimePredictorProvider,"
                + " META-INF/services/dev.ebb.spi.PreemptionPolicyProvider");
  }

  @Test
  void aForgottenServicesFile() {
    String source =
        """
        package acme;
        import dev.ebb.spi.*;
        public final class Mine implements BlockPolicyProvider {
          public String name() { return "mine"; }
          public BlockPolicy<?> create(PolicyContext context) { return null; }
        }
        """;

    assertThat(reason(PluginJarBuilder.plugin("acme").source("acme.Mine", source)))
        .startsWith("it offers no strategy: no provider is listed in any of META-INF/services/")
        .endsWith(
            "; acme.Mine implements dev.ebb.spi.BlockPolicyProvider, so put the file "
                + SERVICE
                + " with the line 'acme.Mine' into the JAR");
  }

  @Test
  void aForgottenServicesFileOfAList() {
    String source = "package acme; public final class All implements dev.ebb.spi.PolicyPlugin {}";

    assertThat(reason(PluginJarBuilder.plugin("acme").source("acme.All", source)))
        .endsWith(
            "; acme.All implements dev.ebb.spi.PolicyPlugin, so put the file"
                + " META-INF/services/dev.ebb.spi.PolicyPlugin with the line 'acme.All' into the"
                + " JAR");
  }

  @Test
  void aListedClassThatIsMissing() {
    assertThat(reason(good().service(BlockPolicyProvider.class, "acme.Gone")))
        .isEqualTo(SERVICE + ": acme.Gone is listed there, but is not in the JAR");
  }

  @Test
  void aListedClassOfAnotherPackage() {
    String source =
        """
        package org.acme;
        public final class Mine implements dev.ebb.spi.BlockPolicyProvider {
          public String name() { return "mine"; }
          public dev.ebb.spi.BlockPolicy<?> create(dev.ebb.spi.PolicyContext context) { return null; }
        }
        """;

    assertThat(
            reason(
                PluginJarBuilder.plugin("acme")
                    .source("org.acme.Mine", source)
                    .service(BlockPolicyProvider.class, "acme.Mine")))
        .isEqualTo(
            SERVICE
                + ": acme.Mine is listed there, but is not in the JAR; org.acme.Mine implements"
                + " dev.ebb.spi.BlockPolicyProvider, so put the file "
                + SERVICE
                + " with the line 'org.acme.Mine' into the JAR");
  }

  @Test
  void aServiceFileWithAByteOrderMark() {
    assertThat(
            reason(PluginJarBuilder.plugin("acme").service(BlockPolicyProvider.class, "\uFEFFa.B")))
        .isEqualTo(
            SERVICE
                + ": the file begins with a byte order mark (U+FEFF), which is not part of a class"
                + " name; save it as UTF-8 without one");
  }

  @Test
  void aListedClassThatIsNoProvider() {
    assertThat(reason(good().provider("acme.Other", "package acme; public final class Other {}")))
        .isEqualTo(
            SERVICE
                + ": acme.Other is listed there, but does not implement"
                + " dev.ebb.spi.BlockPolicyProvider; list the class that does");
  }

  @Test
  void aMalformedServiceFile() {
    assertThat(reason(good().service(BlockPolicyProvider.class, "acme/Gone")))
        .startsWith(SERVICE + ": line 2: Illegal provider-class name: acme/Gone");
  }

  @Test
  void aProviderThatIsNotPublic() {
    assertThat(reason(bad("final class Bad", ""))).isEqualTo(NOT_PUBLIC);
  }

  @Test
  void aHiddenProviderWithAPublicConstructor() {
    assertThat(reason(bad("final class Bad", "public Bad() {}"))).isEqualTo(NOT_PUBLIC);
  }

  @ParameterizedTest
  @ValueSource(strings = {"public Bad(int x) {}", "Bad() {}"})
  void aProviderWithoutAFittingConstructor(String constructor) {
    assertThat(reason(bad("public final class Bad", constructor)))
        .isEqualTo(
            SERVICE + ": acme.Bad has no public constructor without parameters; give it one");
  }

  @Test
  void aConstructorThatThrows() {
    assertThat(
            reason(
                bad(
                    "public final class Bad",
                    "public Bad() { throw new IllegalStateException(\"no\"); }")))
        .isEqualTo(
            "the constructor of acme.Bad failed: java.lang.IllegalStateException: no, at"
                + " acme.Bad.<init>(Bad.java:4)");
  }

  @Test
  void aStaticInitializerThatThrows() {
    assertThat(reason(bad("public final class Bad", "static final int X = 1 / \"\".length();")))
        .isEqualTo(
            "the constructor of acme.Bad failed: java.lang.ArithmeticException: / by zero, at"
                + " acme.Bad.<clinit>(Bad.java:4)");
  }

  @Test
  void aNameThatThrows() {
    assertThat(reason(named("throw new Hostile();")))
        .isEqualTo("name() of acme.Bad failed: acme.Bad$Hostile, at acme.Bad.name(Bad.java:4)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"LRU", "two_q", "-lru", "lru-", "two--q", "", "größe"})
  void anInvalidName(String name) {
    assertThat(reason(named("return \"" + name + "\";")))
        .isEqualTo(
            "name() of acme.Bad is '%s', but must be lower-case letters, digits and inner dashes",
            name);
  }

  @Test
  void noName() {
    assertThat(reason(named("return null;")))
        .isEqualTo(
            "name() of acme.Bad is 'null', but must be lower-case letters, digits and inner"
                + " dashes");
  }

  @Test
  void theReservedName() {
    assertThat(reason(named("return \"none\";")))
        .isEqualTo("name() of acme.Bad is 'none', which is reserved; choose another");
  }

  @Test
  void oneNameTwice() {
    assertThat(reason(named("return \"good\";")))
        .isEqualTo("it offers the policy 'good' twice: acme.GoodProvider and acme.Bad");
  }

  @ParameterizedTest
  @CsvSource({"26", "40"})
  void aNewerJava(int release) {
    int running = Runtime.version().feature();

    assertThat(reason(good().compiledForJava(release)))
        .matches(
            "acme.GoodProvider(\\$\\w+)? was compiled for Java %d, but Ebb runs on Java %d; compile it with --release %d or lower"
                .formatted(release, running, running));
  }

  @Test
  void aNewerJavaInAClassThatIsNoProvider() throws IOException {
    int running = Runtime.version().feature();

    assertThat(stamped(good(), "acme/GoodProvider$Policy.class", 0, 44 + running + 1))
        .isEqualTo(
            "acme.GoodProvider$Policy was compiled for Java %d, but Ebb runs on Java %d; compile it"
                + " with --release %d or lower",
            running + 1, running, running);
  }

  @Test
  void aClassWithPreviewFeatures() throws IOException {
    assertThat(
            stamped(
                good(), "acme/GoodProvider$Policy.class", 0xFFFF, 44 + Runtime.version().feature()))
        .isEqualTo(
            "acme.GoodProvider$Policy was compiled with --enable-preview; compile it without");
  }

  @Test
  void aNewerJavaInClassesForIt() throws IOException {
    String more = "META-INF/versions/99/acme/More.class";

    assertThat(stamped(good().entry(more, " ".repeat(100)), more, 0, 44 + 99)).isEmpty();
  }

  /** The reason once a class of the JAR has another version of the class file. */
  private String stamped(PluginJarBuilder builder, String entry, int minor, int major)
      throws IOException {
    Path jar = builder.writeTo(folder, "x.jar");
    try (FileSystem inside = FileSystems.newFileSystem(jar)) {
      Path type = inside.getPath(entry);
      byte[] bytes = Files.readAllBytes(type);
      ByteBuffer.wrap(bytes).putInt(0xCAFEBABE).putShort((short) minor).putShort((short) major);
      Files.write(type, bytes);
    }
    mine(jar);
    return reason();
  }

  @Test
  void aHostClassIsNotSeen() {
    String source =
        """
        package acme;
        public final class Bad extends GoodProviderBase {
          public Bad() throws Exception {
            Class.forName("dev.ebb.host.plugin.PluginHost");
          }
        }
        """;
    String base =
        """
        package acme;
        import dev.ebb.spi.*;
        public class GoodProviderBase implements BlockPolicyProvider {
          public String name() { return "bad"; }
          public BlockPolicy<?> create(PolicyContext context) { return null; }
        }
        """;

    assertThat(reason(good().source("acme.GoodProviderBase", base).provider("acme.Bad", source)))
        .isEqualTo(
            "the constructor of acme.Bad failed: the class 'dev.ebb.host.plugin.PluginHost' is"
                + " missing: a plugin sees the JDK, dev.ebb.spi and its own JAR, so pack it there,"
                + " at acme.Bad.<init>(Bad.java:4)");
  }

  @Test
  void defaultsThatCannotBeParsed() {
    assertThat(reason(good().entry("reference.conf", "good { a = = 1 }")))
        .startsWith("reference.conf: 1: ")
        .endsWith("; correct it and build the JAR again");
    PluginReport report = host.catalog().reports().getFirst();
    assertThat(report.id()).isEqualTo("acme");
    assertThat(report.version()).isEqualTo("1.0.0");
  }

  @Test
  void defaultsThatIncludeSomething() throws IOException {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + listening.getLocalPort() + "/more.conf";
      listening.setSoTimeout(1);

      assertThat(reason(good().entry("reference.conf", "include url(\"" + url + "\")")))
          .isEqualTo(
              "reference.conf: it includes '%s', but includes are not allowed here; copy the"
                  + " content instead",
              url);
      assertThatThrownBy(listening::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include \"x.conf\"",
        "include file(\"x.conf\")",
        "include classpath(\"x.conf\")",
        "include required(\"x.conf\")",
        "good { include \"x.conf\" }"
      })
  void defaultsThatIncludeAnything(String text) {
    assertThat(reason(good().entry("reference.conf", text)))
        .startsWith("reference.conf: it includes 'x.conf', but includes are not allowed");
  }

  @Test
  void defaultsThatAreNestedTooDeep() {
    assertThat(reason(good().entry("reference.conf", "{a:".repeat(10_000))))
        .isEqualTo(
            "reference.conf: nested too deep, at most 64 levels are allowed; use fewer levels of"
                + " sections, lists and keys");
  }

  @Test
  void defaultsThatAreNestedTooDeepWithinTheStack() {
    assertThat(reason(good().entry("reference.conf", "good." + "a.".repeat(64) + "b = 1")))
        .startsWith("reference.conf: 'good.a.a.")
        .contains("is nested too deep, at most 64 levels are allowed");
  }

  @Test
  void defaultsOfAsManyLevelsAsAreRead() {
    assertThat(reason(good().entry("reference.conf", "good." + "a.".repeat(62) + "b = 1")))
        .isEmpty();
  }

  /** Written out, the last of these lists would have ten to the power of twelve elements. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void defaultsThatGrowWithSubstitutions() {
    assertThat(grown("a0 = [1,2,3,4,5,6,7,8,9,10]", "[" + "${good.a%1$d},".repeat(10) + "]", 12))
        .startsWith("reference.conf: 'good.a")
        .contains("${...} and += are not allowed here; write the value itself");
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void defaultsWhoseTextGrowsWithSubstitutions() {
    assertThat(grown("a0 = ebb", "${good.a%1$d}${good.a%1$d}", 40))
        .startsWith("reference.conf: 'good.a")
        .contains("${...} and += are not allowed here; write the value itself");
  }

  @Test
  void aJarWithSubstitutionsKeepsNoOtherFromLoading() {
    good().entry("reference.conf", "good { a = ${PATH} }").writeTo(folder, "x.jar");
    PluginJarBuilder.plugin("other").policy("fine").writeTo(folder, "y.jar");
    host.open();

    assertThat(host.catalog().reports())
        .extracting(report -> report.file().getFileName() + " " + report.state())
        .containsExactlyInAnyOrder("x.jar REFUSED", "y.jar LOADED");
    assertThat(host.catalog().names(StrategyKind.POLICY)).containsExactly("fine");
  }

  /** Each of these lines takes time in the number of those before it. */
  @Test
  void defaultsOfMoreCharactersThanAreRead() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < 100_000; i++) {
      text.append("good.a").append(i).append(" = 1\n");
    }
    assertThat(reason(good().entry("reference.conf", text.toString())))
        .startsWith("reference.conf: it has '")
        .contains("characters without white space, but at most 32768 are allowed");
  }

  private String grown(String first, String next, int levels) {
    StringBuilder text = new StringBuilder("good {\n").append(first).append('\n');
    for (int i = 1; i < levels; i++) {
      text.append("a%d = ".formatted(i)).append(next.formatted(i - 1)).append('\n');
    }
    return reason(good().entry("reference.conf", text.append('}').toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"reference.conf", "meta-inf/manifest.mf", SERVICE})
  void aFileThatUnpacksToMoreThanIsRead(String entry) {
    assertThat(reason(good().entry(entry, " ".repeat((1 << 20) + 1))))
        .isEqualTo(
            "%s is larger than 1 MiB unpacked, which is the limit; make it smaller and build the"
                + " JAR again",
            entry);
  }

  @Test
  void aManifestThatUnpacksToMoreThanIsRead() {
    String value = "x".repeat(65_000);
    PluginJarBuilder jar = good();
    for (int i = 0; i < 17; i++) {
      jar.manifest("More-" + i, value);
    }
    assertThat(reason(jar)).startsWith("META-INF/MANIFEST.MF is larger than 1 MiB unpacked");
  }

  @Test
  void aFileOfTheMostThatIsRead() {
    assertThat(reason(good().entry("reference.conf", " ".repeat(1 << 20)))).isEmpty();
  }

  @Test
  void namesThatAreTooLong() {
    String most = "n".repeat(64);
    String more = "n".repeat(65);
    String tooLong = " '" + most + "...' has 65 characters, but 64 are allowed; shorten it";

    assertThat(reason(PluginJarBuilder.plugin(most).policy("good"))).isEmpty();
    assertThat(reason(PluginJarBuilder.plugin(more).policy("good")))
        .isEqualTo("Plugin-Id" + tooLong);
    assertThat(reason(good().version("1.0.0-" + more))).startsWith("Plugin-Version '1.0.0-nnn");
    assertThat(reason(named("return \"" + most + "\";"))).isEmpty();
    assertThat(reason(named("return \"n\".repeat(65);")))
        .isEqualTo("name() of acme.Bad:" + tooLong);
  }

  @Test
  void whatAPluginThrowsIsReportedInOneShortLine() {
    String thrown = "throw new Error(\"\\u001b[2J\\0\\nINFO forged\" + \"x\".repeat(1_000_000));";

    assertThat(reason(named(thrown)))
        .startsWith("name() of acme.Bad failed: java.lang.Error: \uFFFD[2J\uFFFD INFO forgedxxx")
        .endsWith("x..., at acme.Bad.name(Bad.java:4)")
        .hasSizeLessThan(700);
  }

  @Test
  void defaultsOfAnUnknownStrategy() {
    assertThat(reason(good().entry("reference.conf", "godo { a = 1 }")))
        .isEqualTo(
            "reference.conf: 'godo' (did you mean 'good'?) must be a section named after one of its"
                + " strategies: [good]");
  }

  @Test
  void aPluginClassThatIsMissing() {
    assertThat(reason(good().manifest("Plugin-Class", "acme.Gone")))
        .isEqualTo(
            "Plugin-Class 'acme.Gone' must be a public class that extends org.pf4j.Plugin; fix it,"
                + " or remove the optional Plugin-Class");
  }

  private static PluginJarBuilder good() {
    return PluginJarBuilder.plugin("acme").policy("good");
  }

  private static PluginJarBuilder bad(String declaration, String body) {
    return good()
        .provider(
            "acme.Bad",
            """
            package acme;
            import dev.ebb.spi.*;
            %s implements BlockPolicyProvider {
              %s
              public String name() { return "bad"; }
              public BlockPolicy<?> create(PolicyContext context) { return null; }
            }
            """
                .formatted(declaration, body));
  }

  private static PluginJarBuilder named(String body) {
    return good()
        .provider(
            "acme.Bad",
            """
            package acme;
            import dev.ebb.spi.*;
            public final class Bad implements BlockPolicyProvider {
              public String name() { %s }
              public BlockPolicy<?> create(PolicyContext context) { return null; }

              static final class Hostile extends RuntimeException {
                public String getMessage() { throw new Hostile(); }
              }
            }
            """
                .formatted(body));
  }

  private String reason(PluginJarBuilder jar) {
    jar.writeTo(folder, "x.jar");
    return reason();
  }

  private String reason() {
    host.open();
    return host.catalog().reports().getFirst().reason();
  }
}
