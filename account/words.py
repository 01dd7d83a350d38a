"""What files of other programs call the fields and values of accounts, besides their labels.

The table has wire paths, and with `=` one of the values there. English, German, French, Italian, Spanish and Dutch
come in this order; words for `descriptions.de` are German. Case, accents, blanks and punctuation do not matter.
"""

from collections.abc import Mapping, Sequence

_TABLE = """
id: Account, Account number, Account code, Account no., Account ID, Account key, Account value, Acc no, Acct, Acct no,
  Code, GL account, Ledger account, GL code, GL account ID, Nominal code, Konto, Kontonummer, Konto-Nr., Kontonr,
  Konto-ID, Kontoschlüssel, Kto, Kto.-Nr., Sachkonto, Sachkontonummer, Compte, Numéro de compte, N° de compte, No de
  compte, N° compte, Code compte, Compte général, Conto, Numero di conto, Numero conto, Codice conto, N. conto,
  Codice, Cuenta, Número de cuenta, N.º de cuenta, Código de cuenta, Código cuenta, Cód. cuenta, Código, Rekening,
  Rekeningnummer, Rekeningnr, Grootboekrekening, Grootboeknummer, Grootboekrekeningnummer
descriptions: Name, Text, Desc
descriptions.en: Account name, Account description, Account title
descriptions.de: Bezeichnung, Kontobezeichnung, Kontenbezeichnung, Kontobeschriftung, Kontoname, Kontotext, Benennung
descriptions.fr: Libellé, Intitulé, Désignation, Nom, Nom du compte, Intitulé du compte, Libellé du compte
descriptions.it: Nome, Nome conto, Denominazione, Descrizione conto, Descrizione del conto
descriptions.es: Nombre, Nombre de la cuenta, Nombre de cuenta, Denominación, Descripción de la cuenta
descriptions.nl: Omschrijving, Naam, Benaming, Rekeningnaam, Rekeningomschrijving
nature: Account nature, Statement, Financial statement, BS/PL, BS/P&L, Balance sheet/P&L, Art, Kontoart, Kontenart,
  Bilanz/GuV, Bilanz/G+V, Bilanz-/GuV-Konto, Bil/GuV, Bilanz oder GuV, Bilanz/Erfolg, Bilanz/Erfolgsrechnung,
  GuV/Bilanz, Nature du compte, Nature de compte, Bilan/Résultat, Bilan/Compte de résultat, Bilan/CR, Natura conto,
  Natura del conto, SP/CE, Stato patrimoniale/Conto economico, Patrimoniale/Economico, Naturaleza de la cuenta,
  Balance/PyG, Balance/Resultados, Balance/Pérdidas y ganancias, Aard, Rekeningsoort, Soort rekening, Balans/W&V,
  BAL/W&V, Balans/Resultaat, Balans of resultaat
nature=BALANCE_SHEET: BS, Bil, Bal, Balance, Balance sheet account, Bilanzkonto, Bestand, Bestandskonto, Compte de
  bilan, SP, Patrimoniale, Conto patrimoniale, Balance de situación, Balance general, Balans, Balansrekening
nature=PROFIT_AND_LOSS: P&L, PnL, Profit & loss, P&L account, Income statement, GuV, G+V, GuV-Konto, Gewinn und
  Verlust, Gewinn & Verlust, Erfolgsrechnung, ER, Erfolg, Erfolgskonto, Ergebnis, Résultat, Compte de résultat, CR,
  Pertes et profits, Profits et pertes, CE, Conto economico, Economico, Profitti e perdite, PyG, P y G, Pérdidas y
  ganancias, Cuenta de resultados, Resultados, Resultado, W&V, V&W, Winst en verlies, Winst & verlies, Winst- en
  verliesrekening, Verlies en winst, Resultaat, Resultatenrekening, Resultaatrekening
nature=OTHER_STOCKS: Other stocks, Andere Bestände, Autres stocks, Altre consistenze, Otras existencias
type: Account type, Typ, Kontotyp, Kontentyp, Type de compte, Tipo conto, Tipo di conto, Tipo de cuenta, Rekeningtype,
  Type rekening
type=NORMAL: Standard, Normaal
conversion.conversionType: Conversion, Currency conversion, Rate type, Exchange rate type, FX rate, Translation
  method, Kursart, Kurstyp, Umrechnung, Umrechnungskurs, Umrechnungsmethode, Währungsumrechnung, Type de taux, Type de
  cours, Type de conversion, Méthode de conversion, Tipo cambio, Tipo di cambio, Conversione, Metodo di conversione,
  Tipo de cambio, Conversión, Método de conversión, Koers, Koerssoort, Omrekening, Omrekeningskoers, Omrekenmethode
conversion.conversionType=FINAL: Final, Closing, Current rate, Year-end rate, Stichtag, Schlusskurs, Endkurs, Clôture,
  De clôture, Cours de clôture, Chiusura, Finale, Cambio finale, Cierre, De cierre, Tipo de cambio de cierre, Slotkoers,
  Balansdatum, Eindkoers
conversion.conversionType=PREVIOUS_FINAL: Previous final
conversion.conversionType=PERIOD_AVERAGE: Period average
conversion.conversionType=AVERAGE: Average, Avg, Durchschnitt, Durchschnittskurs, Moyen, Taux moyen, Cours moyen,
  Medio, Cambio medio, Promedio, Tipo medio, Tipo de cambio medio, Gemiddeld, Gemiddelde, Gemiddelde koers
conversion.conversionType=HISTORICAL: Historical, Historic, Historisch, Historique, Cours historique, Storico,
  Cambio storico, Histórico, Tipo histórico, Historische koers
dataEntryAndReporting.class: Account class, Kontenklasse, Kontoklasse, Classe, Classe de compte, Classe conto, Clase
  de cuenta, Klasse, Rekeningklasse
dataEntryAndReporting.class=ASSET: Assets, Aktiva, Aktiv, Actif, Attivo, Attività, Activo, Activos, Activa
dataEntryAndReporting.class=LIABILITY: Liabilities, Passiva, Passiv, Passif, Passivo, Passività, Pasivo, Pasivos
dataEntryAndReporting.class=COST: Costs, Expense, Expenses, Aufwand, Aufwendungen, Charge, Charges, Costo, Costi,
  Gasto, Gastos, Kosten
dataEntryAndReporting.class=REVENUE: Revenues, Income, Ertrag, Erträge, Produit, Produits, Ricavo, Ricavi, Ingreso,
  Ingresos, Opbrengst, Opbrengsten
dataEntryAndReporting.icManagement: Intercompany, Interco, IC, Intercompany account, IC account, IC-Konto,
  Intercompany-Konto, Partnerkonto, Konzernkonto, Intragroupe, Intra-groupe, Compte intragroupe, Infragruppo,
  Intragruppo, Conto intercompany, Intragrupo, Cuenta intragrupo, Cuenta intercompany, IC-rekening,
  Intercompanyrekening, Groepsrekening
dataEntryAndReporting.manageMaximumNumberDecimals: Manage maximum number of decimals
dataEntryAndReporting.validity.startDate: Start date, Gültig von, Beginn, Date de début, Valable du, Data inizio,
  Fecha de inicio, Ingangsdatum, Geldig vanaf, Geldig van, Begindatum
dataEntryAndReporting.validity.endDate: End date, Ende, Date de fin, Valable au, Data fine, Fecha de fin, Einddatum,
  Geldig tot, Geldig tot en met
rules.validationChecks.notesCheck: Notes check
consolidation.rules.useAccountForSetup: Use account for setup
"""

ALSO_CALLED: Mapping[str, Sequence[str]] = {
    path: words.split(", ")
    for path, words in (line.split(": ") for line in _TABLE.strip().replace("\n  ", " ").splitlines())
}
