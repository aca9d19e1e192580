//! Verification of servers.
//!
//! The roots are Mozilla's, built in: they are the same on every machine, so a page that can be
//! fetched on one can be fetched on all, and containers without a certificate store work. Users
//! with their own roots name a file.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, PeerIncompatible, RootCertStore,
    SignatureScheme,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Files with further certificate authorities, in PEM.
    pub ca_files: Vec<PathBuf>,
    /// Takes any certificate from anybody. What is fetched so may come from whoever is on the way.
    pub insecure: bool,
}

/// A file with certificate authorities that is of no use.
#[derive(Debug, thiserror::Error)]
#[error("the certificate authorities in {} can't be used: {reason}", path.display())]
pub struct BadAuthorities {
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

impl TlsSettings {
    /// Returns the configuration of a client that speaks HTTP/1.1.
    pub fn client(&self) -> Result<ClientConfig, BadAuthorities> {
        config(self, false)
    }
}

pub(crate) fn config(settings: &TlsSettings, http2: bool) -> Result<ClientConfig, BadAuthorities> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring supports the versions that rustls has by default");
    let mut config = if settings.insecure {
        let verifier = Arc::new(TrustAnybody { provider });
        builder
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth()
    } else {
        builder
            .with_root_certificates(roots(settings)?)
            .with_no_client_auth()
    };
    if http2 {
        config.alpn_protocols.push(b"h2".to_vec());
    }
    config.alpn_protocols.push(b"http/1.1".to_vec());
    Ok(config)
}

fn roots(settings: &TlsSettings) -> Result<RootCertStore, BadAuthorities> {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    for path in &settings.ca_files {
        let bad = |reason: String| BadAuthorities {
            path: path.clone(),
            reason,
        };
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))? {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
        // A file without a certificate is no error of the parser. It is most likely the wrong file.
        if roots.len() == before {
            return Err(bad("there is no certificate in it".to_owned()));
        }
    }
    Ok(roots)
}

/// Reason why there is no secure connection.
#[derive(Debug)]
pub struct TlsError(io::Error);

impl TlsError {
    pub(crate) fn new(error: io::Error) -> TlsError {
        TlsError(error)
    }

    /// Returns true if the network broke off the handshake, rather than one of the two sides.
    pub(crate) fn is_temporary(&self) -> bool {
        self.rustls().is_none()
    }

    fn rustls(&self) -> Option<&rustls::Error> {
        self.0.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rustls() {
            Some(error) => formatter.write_str(&sentence(error)),
            None => write!(formatter, "the handshake failed: {}", self.0),
        }
    }
}

/// Describes a failed handshake. The texts of rustls contain names of its types.
fn sentence(error: &rustls::Error) -> Cow<'static, str> {
    use rustls::Error;
    let text = match error {
        Error::InvalidCertificate(error) => flaw(error),
        Error::InvalidMessage(_) => "the server does not speak TLS",
        Error::NoCertificatesPresented => "the server shows no certificate",
        Error::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        )
        | Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            "the server only has versions of TLS before 1.2, which are not safe"
        }
        Error::PeerIncompatible(_)
        | Error::AlertReceived(AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity) => {
            "the server has no encryption in common with Magpie"
        }
        Error::AlertReceived(AlertDescription::UnrecognisedName) => "the server does not know this name",
        Error::AlertReceived(AlertDescription::InternalError) => "the server has an internal error",
        Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::AccessDenied,
        ) => "the server demands a certificate from Magpie, which has none",
        Error::NoApplicationProtocol | Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            "the server speaks neither HTTP/1.1 nor HTTP/2"
        }
        Error::AlertReceived(alert) => {
            return format!("the server refused the handshake with alert {}", u8::from(*alert)).into();
        }
        Error::InappropriateMessage { .. }
        | Error::InappropriateHandshakeMessage { .. }
        | Error::PeerMisbehaved(_)
        | Error::PeerSentOversizedRecord
        | Error::DecryptError => "the server violates the TLS protocol",
        _ => "the handshake failed",
    };
    text.into()
}

/// Describes a certificate that is refused.
fn flaw(error: &CertificateError) -> &'static str {
    match error {
        // An authority of the same name with another key is a stranger too.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is signed by no trusted authority"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; if it should be, check the clock of this machine"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name"
        }
        CertificateError::Revoked => "its certificate is revoked",
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "its certificate is not for servers"
        }
        CertificateError::BadEncoding => "its certificate is malformed",
        CertificateError::UnhandledCriticalExtension => EXTENSION,
        CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "its certificate has a signature of an unsupported algorithm"
        }
        CertificateError::Other(other) => match other.0.downcast_ref::<webpki::Error>() {
            Some(webpki::Error::CaUsedAsEndEntity) => {
                "its certificate is that of an authority, which may sign others but not serve"
            }
            Some(
                webpki::Error::EndEntityUsedAsCa
                | webpki::Error::PathLenConstraintViolated
                | webpki::Error::NameConstraintViolation,
            ) => "its certificate is signed by one that may not sign it",
            Some(
                webpki::Error::MaximumPathBuildCallsExceeded
                | webpki::Error::MaximumPathDepthExceeded
                | webpki::Error::MaximumSignatureChecksExceeded
                | webpki::Error::MaximumNameConstraintComparisonsExceeded,
            ) => "its chain of certificates is too long",
            Some(webpki::Error::UnsupportedCriticalExtension) => EXTENSION,
            Some(webpki::Error::UnsupportedCertVersion) => "its certificate is of an unsupported version",
            _ => "its certificate is malformed",
        },
        _ => "its certificate can't be verified",
    }
}

/// RFC 5280 (4.2) demands that a certificate with an unknown critical extension is refused.
const EXTENSION: &str = "its certificate has a critical extension that Magpie does not know";

impl std::error::Error for TlsError {}

/// Verifier for the `insecure` setting. It still checks the signatures of the handshake, which
/// costs nothing.
#[derive(Debug)]
struct TrustAnybody {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
