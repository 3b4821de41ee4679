// What 'ebb plugins new' refuses. Run when all is written, and deletes nothing: the folder may have held something before.
import java.util.zip.ZipFile
import javax.lang.model.SourceVersion

def project = new File(request.outputDirectory, artifactId)

// A generated class uses these by their simple names.
def isTaken = { name ->
    def jars = []
    new File(project, 'repository/dev/ebb/ebb-spi').eachFileRecurse { if (it.name.endsWith('.jar')) jars << it }
    def ofSpi = jars.any { jar -> new ZipFile(jar).withCloseable { it.getEntry("dev/ebb/spi/${name}.class") != null } }
    ofSpi || ['java.lang.', 'java.util.'].any {
        try {
            Class.forName(it + name)
            true
        } catch (ClassNotFoundException free) {
            false
        }
    }
}

def wrong = null
if (!(kind in ['policy', 'token-policy', 'token-budget', 'predictor', 'preemption'])) {
    wrong = "kind: '${kind}' is none of policy, token-policy, token-budget, predictor, preemption"
} else if (!(artifactId ==~ /[a-z][a-z0-9]*(-[a-z0-9]+)*/)) {
    wrong = "artifactId: '${artifactId}' is the strategy's name too, and must be lower-case letters, digits and inner dashes, with a letter first, such as 'my-policy'"
} else if (!SourceVersion.isName(request.package)) {
    wrong = "package: '${request.package}' is not a package name, such as 'com.acme.cache'; name one with -Dpackage=..."
} else if (['dev.ebb.', 'java.', 'org.pf4j.'].any { (request.package + '.').startsWith(it) }) {
    wrong = "package: '${request.package}' belongs to others, and its classes would not be loaded; choose one of your own, such as 'com.acme.cache'"
} else if (!SourceVersion.isIdentifier(className) || isTaken(className)) {
    wrong = "className: '${className}' cannot be the name of the strategy's class: it is no name, or that of a class of the SPI or the JDK; name another with -DclassName=..."
} else if (!(version ==~ /\d+\.\d+\.\d+([-+].+)?/)) {
    wrong = "version: '${version}' must be a semantic version, for example '1.0.0'"
}
if (wrong) {
    throw new IllegalArgumentException("${wrong}. What was made in '${project}' is of no use: delete it")
}
