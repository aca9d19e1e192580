//! Currencies: their codes, and the signs that stand for them.

use std::fmt;
use std::str::FromStr;

use super::Problem;

/// A currency by its ISO 4217 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The currency with the code, in any case, if there is one; also some that are history, and
    /// bitcoin.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        let code: [u8; 3] = code.as_bytes().try_into().ok()?;
        let upper = code.map(|byte| byte.to_ascii_uppercase());
        CODES
            .as_bytes()
            .chunks_exact(4)
            .any(|known| known[..3] == upper)
            .then_some(Self(upper))
    }

    /// The code: `EUR`.
    #[must_use]
    pub fn code(&self) -> &str {
        // The code was compared with a list of ASCII codes when it was made.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Number of digits after the decimal point.
    #[must_use]
    pub fn minor_digits(self) -> u8 {
        match &self.0 {
            b"BHD" | b"IQD" | b"JOD" | b"KWD" | b"LYD" | b"OMR" | b"TND" => 3,
            b"CLP" | b"ISK" | b"JPY" | b"KRW" | b"PYG" | b"UGX" | b"VND" | b"XAF" | b"XOF" | b"XPF"
            | b"RWF" | b"KMF" => 0,
            _ => 2,
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl FromStr for Currency {
    type Err = Problem;

    fn from_str(code: &str) -> Result<Self, Problem> {
        Self::from_code(code).ok_or(Problem::NoCurrency)
    }
}

/// Four bytes a code, so that they can be walked without splitting.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTC BTN BWP BYN \
BZD CAD CDF CHF CLP CNY COP CRC CUC CUP CVE CZK DEM DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF \
GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD \
LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN \
PTE PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY \
TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL ";

/// Codes that are words as well, so that only capitals behind a number speak for them.
pub(super) const CODES_THAT_ARE_WORDS: &[&str] = &[
    "ALL", "BAM", "BOB", "CUP", "GEL", "MAD", "PEN", "TOP", "TRY", "SOS", "MOP", "LAK", "DEM", "RON", "CAD",
    "AMD",
];

/// Currencies that a sign may denote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// One currency.
    One(&'static str),
    /// Different ones in different countries. The language decides; this one is the usual one.
    Ambiguous(&'static str),
}

/// Signs and words for currencies as written, case included: `Ft` is money and `ft` is feet. Signs
/// of one Latin letter are only those that are joined to the number before it.
pub(super) const SIGNS: &[(&str, Meaning)] = {
    use Meaning::{Ambiguous, One};
    &[
        ("$", Ambiguous("USD")),
        ("US$", One("USD")),
        ("US $", One("USD")),
        ("USD$", One("USD")),
        ("U$S", One("USD")),
        ("CA$", One("CAD")),
        ("C$", One("CAD")),
        ("CAN$", One("CAD")),
        ("CDN$", One("CAD")),
        ("CAD$", One("CAD")),
        ("CND", One("CAD")),
        ("AU$", One("AUD")),
        ("A$", One("AUD")),
        ("AU $", One("AUD")),
        ("AUD$", One("AUD")),
        ("NZ$", One("NZD")),
        ("NZ $", One("NZD")),
        ("HK$", One("HKD")),
        ("S$", One("SGD")),
        ("NT$", One("TWD")),
        ("MX$", One("MXN")),
        ("Mex$", One("MXN")),
        ("R$", One("BRL")),
        ("RD$", One("DOP")),
        ("BZ$", One("BZD")),
        ("CUC$", One("CUC")),
        ("J$", One("JMD")),
        ("MOP$", One("MOP")),
        ("T$", One("TOP")),
        ("TT$", One("TTD")),
        ("$U", One("UYU")),
        ("Z$", One("ZWL")),
        ("N$", One("NAD")),
        ("G$", One("GYD")),
        ("GY$", One("GYD")),
        ("B$", One("BND")),
        ("FJ$", One("FJD")),
        ("SI$", One("SBD")),
        ("WS$", One("WST")),
        ("EC$", One("XCD")),
        ("$b", One("BOB")),
        ("CLP$", One("CLP")),
        ("COP$", One("COP")),
        ("AR$", One("ARS")),
        ("€", One("EUR")),
        ("euro", One("EUR")),
        ("Euro", One("EUR")),
        ("EURO", One("EUR")),
        ("euros", One("EUR")),
        ("Euros", One("EUR")),
        ("eur", One("EUR")),
        ("Eur", One("EUR")),
        ("ευρώ", One("EUR")),
        ("евро", One("EUR")),
        ("£", Ambiguous("GBP")),
        ("￡", Ambiguous("GBP")),
        ("₤", Ambiguous("GBP")),
        ("GB£", One("GBP")),
        ("E£", One("EGP")),
        ("pound", One("GBP")),
        ("pounds", One("GBP")),
        ("stg", One("GBP")),
        ("¥", Ambiguous("JPY")),
        ("￥", Ambiguous("JPY")),
        ("円", One("JPY")),
        ("yen", One("JPY")),
        ("元", One("CNY")),
        ("圆", One("CNY")),
        ("圓", Ambiguous("TWD")),
        ("人民币", One("CNY")),
        ("RMB", One("CNY")),
        ("CN¥", One("CNY")),
        ("JP¥", One("JPY")),
        ("yuan", One("CNY")),
        ("₹", One("INR")),
        ("Rs", Ambiguous("INR")),
        ("Rs.", Ambiguous("INR")),
        ("₨", Ambiguous("PKR")),
        ("र", One("INR")),
        ("रु", One("INR")),
        ("INR", One("INR")),
        ("Re", One("INR")),
        ("රු", One("LKR")),
        ("ரூ", One("INR")),
        ("₽", One("RUB")),
        ("руб.", One("RUB")),
        ("руб", One("RUB")),
        ("рублей", One("RUB")),
        ("рубля", One("RUB")),
        ("рубль", One("RUB")),
        ("Руб.", One("RUB")),
        ("Руб", One("RUB")),
        ("РУБ", One("RUB")),
        ("р.", One("RUB")),
        ("р", One("RUB")),
        ("Р", One("RUB")),
        ("Р.", One("RUB")),
        ("Rub", One("RUB")),
        ("rub", One("RUB")),
        ("Rbl", One("RUB")),
        ("₴", One("UAH")),
        ("грн.", One("UAH")),
        ("грн", One("UAH")),
        ("Грн", One("UAH")),
        ("ГРН", One("UAH")),
        ("гривень", One("UAH")),
        ("hrn", One("UAH")),
        ("₸", One("KZT")),
        ("тг", One("KZT")),
        ("тг.", One("KZT")),
        ("тенге", One("KZT")),
        ("₼", One("AZN")),
        ("₾", One("GEL")),
        ("ლ", One("GEL")),
        ("ლარი", One("GEL")),
        ("lari", One("GEL")),
        ("֏", One("AMD")),
        ("сум", One("UZS")),
        ("so'm", One("UZS")),
        ("som", Ambiguous("KGS")),
        ("S'", One("UZS")),
        ("Sʻ", One("UZS")),
        ("сом", One("KGS")),
        ("zł", One("PLN")),
        ("Zł", One("PLN")),
        ("ZŁ", One("PLN")),
        ("zl", One("PLN")),
        ("złotych", One("PLN")),
        ("Kč", One("CZK")),
        ("kč", One("CZK")),
        ("KČ", One("CZK")),
        ("Kc", One("CZK")),
        ("Ft", One("HUF")),
        ("Ft.", One("HUF")),
        ("FT", One("HUF")),
        ("lei", Ambiguous("RON")),
        ("Lei", Ambiguous("RON")),
        ("LEI", Ambiguous("RON")),
        ("leu", Ambiguous("RON")),
        ("лв.", One("BGN")),
        ("лв", One("BGN")),
        ("lv", One("BGN")),
        ("kn", One("HRK")),
        ("KM", One("BAM")),
        ("км", One("BAM")),
        ("Dinara", One("RSD")),
        ("dinara", One("RSD")),
        ("din", One("RSD")),
        ("din.", One("RSD")),
        ("Din", One("RSD")),
        ("дин", One("RSD")),
        ("Дин", One("RSD")),
        ("дин.", One("RSD")),
        ("ден", One("MKD")),
        ("ДЕН", One("MKD")),
        ("Lek", One("ALL")),
        ("lekë", One("ALL")),
        ("kr", Ambiguous("")),
        ("kr.", Ambiguous("")),
        ("Kr", Ambiguous("")),
        ("Kr.", Ambiguous("")),
        ("KR", Ambiguous("")),
        ("kronor", One("SEK")),
        ("kroner", Ambiguous("")),
        (":-", One("SEK")),
        ("SFr.", One("CHF")),
        ("SFr", One("CHF")),
        ("sFr.", One("CHF")),
        ("Fr.", One("CHF")),
        ("Fr", One("CHF")),
        ("fr.", One("CHF")),
        ("CHf", One("CHF")),
        ("₣", One("CHF")),
        ("franc", Ambiguous("")),
        ("francs", Ambiguous("")),
        ("₺", One("TRY")),
        ("TL", One("TRY")),
        ("tl", One("TRY")),
        ("Tl", One("TRY")),
        ("₪", One("ILS")),
        ("NIS", One("ILS")),
        ("nis", One("ILS")),
        ("ש״ח", One("ILS")),
        ("ש\"ח", One("ILS")),
        ("ש'ח", One("ILS")),
        ("שקלים", One("ILS")),
        ("₫", One("VND")),
        ("đ", One("VND")),
        ("Đ", One("VND")),
        ("VNĐ", One("VND")),
        ("vnđ", One("VND")),
        ("đồng", One("VND")),
        ("฿", One("THB")),
        ("บาท", One("THB")),
        ("Baht", One("THB")),
        ("baht", One("THB")),
        ("₭", One("LAK")),
        ("៛", One("KHR")),
        ("Ks", One("MMK")),
        ("Rp", One("IDR")),
        ("Rp.", One("IDR")),
        ("RP", One("IDR")),
        ("RM", One("MYR")),
        ("₱", One("PHP")),
        ("₩", One("KRW")),
        ("원", One("KRW")),
        ("NT", One("TWD")),
        ("₮", One("MNT")),
        ("৳", One("BDT")),
        ("Nu.", One("BTN")),
        ("Nu", One("BTN")),
        ("Rf", One("MVR")),
        ("؋", One("AFN")),
        ("R", One("ZAR")),
        ("₦", One("NGN")),
        ("GH₵", One("GHS")),
        ("₵", One("GHS")),
        ("KSh", One("KES")),
        ("Ksh", One("KES")),
        ("KShs", One("KES")),
        ("TSh", One("TZS")),
        ("USh", One("UGX")),
        ("Br", Ambiguous("BYN")),
        ("ብር", One("ETB")),
        ("Nfk", One("ERN")),
        ("ናቕፋ", One("ERN")),
        ("نافكا", One("ERN")),
        ("CFA", One("XOF")),
        ("FCFA", One("XAF")),
        ("F CFA", One("XAF")),
        ("FBu", One("BIF")),
        ("Fbu", One("BIF")),
        ("FRw", One("RWF")),
        ("RF", One("RWF")),
        ("R₣", One("RWF")),
        ("Fdj", One("DJF")),
        ("FG", One("GNF")),
        ("GFr", One("GNF")),
        ("Ar", One("MGA")),
        ("MT", One("MZN")),
        ("MTn", One("MZN")),
        ("ZK", One("ZMW")),
        ("MK", One("MWK")),
        ("LD", Ambiguous("LYD")),
        ("UM", One("MRU")),
        ("Db", One("STN")),
        ("Kz", One("AOA")),
        ("kwz", One("AOA")),
        ("Esc", One("CVE")),
        ("Sl", One("SOS")),
        ("SPL", One("")),
        ("S/.", One("PEN")),
        ("S/", One("PEN")),
        ("B/.", One("PAB")),
        ("Bs", Ambiguous("BOB")),
        ("Bs.", Ambiguous("BOB")),
        ("₡", One("CRC")),
        ("₲", One("PYG")),
        ("Gs.", One("PYG")),
        ("Q", One("GTQ")),
        ("ƒ", Ambiguous("ANG")),
        ("¢", One("")),
        ("VT", One("VUV")),
        ("Vt", One("VUV")),
        ("GBp", One("")),
        ("DT", One("TND")),
        ("KD", One("KWD")),
        ("BD", One("BHD")),
        ("Dh", Ambiguous("AED")),
        ("Dhs", Ambiguous("AED")),
        ("DH", Ambiguous("MAD")),
        ("SR", One("SAR")),
        ("LE", One("EGP")),
        ("﷼", Ambiguous("IRR")),
        ("ریال", One("IRR")),
        ("تومان", One("IRR")),
        ("ريال", Ambiguous("SAR")),
        ("درهم", Ambiguous("AED")),
        ("جنيه", Ambiguous("EGP")),
        ("جن", Ambiguous("EGP")),
        ("دينار أردني", One("JOD")),
        ("دينار كويتي", One("KWD")),
        ("دينار", Ambiguous("KWD")),
        ("ر.س", One("SAR")),
        ("ج.م", One("EGP")),
        ("د.إ", One("AED")),
        ("د.ك", One("KWD")),
        ("د.م", One("MAD")),
        ("د.م.", One("MAD")),
        ("دج", One("DZD")),
        ("د.ج", One("DZD")),
        ("د.ت", One("TND")),
        ("د.أ", One("JOD")),
        ("د.ا", One("JOD")),
        ("د.ع", One("IQD")),
        ("ع.د", One("IQD")),
        ("د.ل", One("LYD")),
        ("ل.د", One("LYD")),
        (".د.ب", One("BHD")),
        ("ر.ع", One("OMR")),
        ("ر.ق", One("QAR")),
        ("ر.ي", One("YER")),
        ("ل.س", One("SYP")),
        ("ل.ل", One("LBP")),
        ("ج.س.", One("SDG")),
        ("ج.س", One("SDG")),
        ("ش.ص", One("SOS")),
        ("ش.ج", One("ILS")),
        ("₿", One("BTC")),
        ("Ƀ", One("BTC")),
        ("₶", One("")),
    ]
};

/// Returns the currency that an ambiguous sign means where the language is at home, else the usual
/// one. Returns `None` if the language is at home in many countries with a currency of this sign.
pub(super) fn at_home(sign: &str, language: &str, usual: &str) -> Option<Currency> {
    let mut parts = language.split(['-', '_']);
    let primary = parts.next().unwrap_or_default().to_ascii_lowercase();
    let region = parts
        .find(|part| part.len() == 2)
        .unwrap_or_default()
        .to_ascii_uppercase();
    let code = match (sign, primary.as_str(), region.as_str()) {
        ("$", _, "CA") => "CAD",
        ("$", _, "AU") => "AUD",
        ("$", _, "NZ") => "NZD",
        ("$", _, "SG") => "SGD",
        ("$", _, "HK") => "HKD",
        ("$", "zh", "TW") => "TWD",
        ("$", _, "MX") => "MXN",
        ("$", _, "AR") => "ARS",
        ("$", _, "CL") => "CLP",
        ("$", _, "CO") => "COP",
        ("$", _, "UY") => "UYU",
        ("$", "es", "US" | "EC" | "PA" | "PR" | "SV") => "USD",
        // Pages of Colombia, Mexico or Chile are in `es` or `es-ES` as often as in their own.
        ("$", "es", _) => return None,
        ("£" | "₤", _, "EG") => "EGP",
        ("¥" | "￥" | "圓", "zh", "TW") => "TWD",
        ("¥" | "￥" | "圓", "zh", _) => "CNY",
        ("Rs" | "Rs." | "₨", "ur", _) | ("Rs" | "Rs." | "₨", _, "PK") => "PKR",
        ("Rs" | "Rs." | "₨", _, "LK") => "LKR",
        ("Rs" | "Rs." | "₨", _, "NP") => "NPR",
        ("₨", "hi", _) | ("₨", _, "IN") => "INR",
        ("lei" | "Lei" | "LEI" | "leu", _, "MD") => "MDL",
        ("ريال" | "﷼", _, "OM") => "OMR",
        ("ريال" | "﷼", _, "QA") => "QAR",
        ("ريال" | "﷼", _, "YE") => "YER",
        ("﷼", "ar", _) => "SAR",
        ("درهم" | "Dh" | "Dhs", _, "MA") => "MAD",
        ("Br", "am", _) => "ETB",
        (sign, primary, _)
            if sign.eq_ignore_ascii_case("kr") || sign.eq_ignore_ascii_case("kr.") || sign == "kroner" =>
        {
            match primary {
                "sv" => "SEK",
                "da" => "DKK",
                "no" | "nb" | "nn" => "NOK",
                "is" => "ISK",
                _ => usual,
            }
        }
        _ => usual,
    };
    Currency::from_code(code)
}
